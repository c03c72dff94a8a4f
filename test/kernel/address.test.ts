import * as assert from 'uvu/assert';
import { Addresses, addressText, clientAddress, HostGuard } from '../../kernel/address.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('addresses');

test('socket addresses are written as people write them', () => {
  assert.is(addressText(Uint8Array.of(127, 0, 0, 1)), '127.0.0.1');
  assert.is(addressText(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 1, 2, 3)), '10.1.2.3');
  assert.is(addressText(Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), '2001:db8::1');
  assert.is(addressText(new Uint8Array(0)), '');
});

test('a range that is none is refused by name', () => {
  for (const range of ['10.0.0.0/33', 'example.com', '::1/129', '10.0.0.1/x', '']) assert.throws(() => new Addresses([range]), /is not an address or a CIDR range/);
});

test('X-Forwarded-For counts from trusted proxies only, and only as far as they go', () => {
  const proxies = new Addresses(['10.0.0.0/8', '::1']);
  const none = new Addresses([]);
  assert.is(clientAddress('203.0.113.9', '1.2.3.4', proxies), '203.0.113.9');
  assert.is(clientAddress('10.0.0.1', '1.2.3.4', none), '10.0.0.1');
  assert.is(clientAddress('10.0.0.1', '6.6.6.6, 1.2.3.4', proxies), '1.2.3.4');
  assert.is(clientAddress('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', proxies), '1.2.3.4');
  assert.is(clientAddress('::1', '2001:db8::5', proxies), '2001:db8::5');
  assert.is(clientAddress('10.0.0.1', '', proxies), '10.0.0.1');
  assert.is(clientAddress('10.0.0.1', 'unknown', proxies), '10.0.0.1');
  assert.is(clientAddress('10.0.0.1', "1.2.3.4' or 1=1, 10.0.0.3", proxies), '10.0.0.3');
});

test('the admin address answers to literal addresses, localhost and configured names only', () => {
  const guard = new HostGuard(['Panel.Example.com']);
  for (const host of ['127.0.0.1:2087', '[::1]:2087', 'localhost', 'panel.example.com:2087', 'PANEL.example.com', '203.0.113.1']) assert.ok(guard.allows(host), host);
  for (const host of ['', 'evil.test', 'panel.example.com.evil.test', 'localhost.evil.test:2087', '127.0.0.1.evil.test', 'a@127.0.0.1']) assert.not.ok(guard.allows(host), host);
});
