import * as assert from '../support/assert.ts';
import { IpRanges, ipText, clientAddress, isPublic, addressNetwork } from '../../kernel/kit/net/ip.ts';
import { HostGuard } from '../../kernel/http/origin/host-guard.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('addresses');

test('socket addresses have their usual text form', () => {
  assert.is(ipText(Uint8Array.of(127, 0, 0, 1)), '127.0.0.1');
  assert.is(ipText(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 1, 2, 3)), '10.1.2.3');
  assert.is(ipText(Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), '2001:db8::1');
  assert.is(ipText(new Uint8Array(0)), '');
});

test('an invalid range is rejected with an error naming it', () => {
  for (const range of ['10.0.0.0/33', 'example.com', '::1/129', '10.0.0.1/x', ''])
    assert.throws(() => new IpRanges([range]), /is not an address or a CIDR range/);
});

// asvs 4.1.3, 15.3.4: X-Forwarded-For counts from trusted proxies only
test('X-Forwarded-For counts from trusted proxies only, and only as far as they go', () => {
  const proxies = new IpRanges(['10.0.0.0/8', '::1']);
  const none = new IpRanges([]);
  assert.is(clientAddress('203.0.113.9', '1.2.3.4', proxies), '203.0.113.9');
  assert.is(clientAddress('10.0.0.1', '1.2.3.4', none), '10.0.0.1');
  assert.is(clientAddress('10.0.0.1', '6.6.6.6, 1.2.3.4', proxies), '1.2.3.4');
  assert.is(clientAddress('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', proxies), '1.2.3.4');
  assert.is(clientAddress('::1', '2001:db8::5', proxies), '2001:db8::5');
  assert.is(clientAddress('10.0.0.1', '', proxies), '10.0.0.1');
  assert.is(clientAddress('10.0.0.1', 'unknown', proxies), '10.0.0.1');
  assert.is(clientAddress('10.0.0.1', '1.2.3.4, unknown, 10.0.0.3', proxies), '10.0.0.3');
  assert.is(clientAddress('10.0.0.1', "1.2.3.4' or 1=1, 10.0.0.3", proxies), '10.0.0.3');
});

// threat weak-limiter: X-Forwarded-For is read in every form that proxies send, and a malformed hop is where it ends
test('hops with port, brackets or zone count; nothing does behind a malformed one', () => {
  const proxies = new IpRanges(['10.0.0.0/8', 'fd00::/8']);
  const client = (hops: string) => clientAddress('10.0.0.1', hops, proxies);
  assert.is(client('8.8.8.8:1234'), '8.8.8.8');
  assert.is(client('[2001:db8::5]:443'), '2001:db8::5');
  assert.is(client('[2001:db8::5]'), '2001:db8::5');
  assert.is(client('fe80::1%eth0'), 'fe80::1');
  assert.is(client('[fe80::1%eth0]:80'), 'fe80::1');
  assert.is(client('1.2.3.4,10.0.0.2:80 ,\t[fd00::1%2]:9'), '1.2.3.4');
  assert.is(client('::ffff:10.0.0.9, ::ffff:1.2.3.4'), '::ffff:1.2.3.4');
  assert.is(client('1.2.3.4, ::ffff:10.0.0.9'), '1.2.3.4');
  for (const malformed of [
    ...['8.8.8.8:', '8.8.8.8:x', '8.8.8.8:123456', '[8.8.8.8]:1', '[8.8.8.8]', '[2001:db8::5', '2001:db8::5]:1', '[]'],
    ...['', ' ', '1.2.3', '1.2.3.4 5.6.7.8', '"1.2.3.4"', 'for=1.2.3.4', '2001:db8::5::', '[::1]x', '1.2.3.4%eth0'],
  ])
    assert.is(client(`6.6.6.6, ${malformed}, 10.0.0.3`), '10.0.0.3', malformed);
  assert.is(client(`6.6.6.6, ${'10.0.0.3, '.repeat(20_000)}10.0.0.4`), '10.0.0.3', 'a chain without end');
});

test('the admin address accepts only literal addresses, localhost and configured names', () => {
  const guard = new HostGuard(['Panel.Example.com']);
  for (const host of [
    '127.0.0.1:2087',
    '[::1]:2087',
    'localhost',
    'panel.example.com:2087',
    'PANEL.example.com',
    '203.0.113.1',
  ])
    assert.ok(guard.allows(host), host);
  for (const host of [
    '',
    'evil.test',
    'panel.example.com.evil.test',
    'localhost.evil.test:2087',
    '127.0.0.1.evil.test',
    'a@127.0.0.1',
    'notlocalhost',
    'evil.panel.example.com',
    'evil-panel.example.com:2087',
  ])
    for (const time of ['first', 'second']) assert.not.ok(guard.allows(host), `${host}, ${time} time`);
});

/** Ranges that are not public: the first and last address and the purpose of each. */
const NOT_PUBLIC = [
  ['0.0.0.0', '0.255.255.255', 'this network'],
  ['10.0.0.0', '10.255.255.255', 'private'],
  ['100.64.0.0', '100.127.255.255', 'shared by carriers'],
  ['127.0.0.0', '127.255.255.255', 'loopback'],
  ['169.254.0.0', '169.254.255.255', 'link-local'],
  ['172.16.0.0', '172.31.255.255', 'private'],
  ['192.0.0.0', '192.0.0.255', 'protocols'],
  ['192.0.2.0', '192.0.2.255', 'documentation'],
  ['192.31.196.0', '192.31.196.255', 'AS112'],
  ['192.52.193.0', '192.52.193.255', 'AMT'],
  ['192.88.99.0', '192.88.99.255', '6to4 relays'],
  ['192.168.0.0', '192.168.255.255', 'private'],
  ['192.175.48.0', '192.175.48.255', 'AS112'],
  ['198.18.0.0', '198.19.255.255', 'benchmarking'],
  ['198.51.100.0', '198.51.100.255', 'documentation'],
  ['203.0.113.0', '203.0.113.255', 'documentation'],
  ['224.0.0.0', '239.255.255.255', 'multicast'],
  ['240.0.0.0', '255.255.255.255', 'reserved'],
  ['168.63.129.16', '168.63.129.16', 'Azure'],
  ['::', '::1', 'unspecified and loopback'],
  ['::2', '::ffff:ffff', 'IPv4-compatible'],
  ['::ffff:0:0', '::ffff:ffff:ffff', 'IPv4-mapped'],
  ['::ffff:0:0:0', '::ffff:0:ffff:ffff', 'IPv4-translated'],
  ['64:ff9b::', '64:ff9b::ffff:ffff', 'NAT64'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', 'local NAT64'],
  ['100::', '100::ffff:ffff:ffff:ffff', 'discarded'],
  ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff', 'dummy'],
  ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', 'Teredo'],
  ['2001:1::1', '2001:1::3', 'anycast of protocols'],
  ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', 'benchmarking'],
  ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', 'ORCHID'],
  ['2001:20::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff', 'ORCHIDv2 and DETs'],
  ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:1ff::', 'protocols'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '6to4'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', 'AS112'],
  ['3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '6bone'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
  ['4000::', '5eff::', 'unassigned'],
  ['5f00::', '5fff::', 'segment routing'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'unique-local'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'link-local'],
  ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'site-local'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
] as const;
/** Public neighbours of those ranges, and some well-known public addresses. */
const PUBLIC = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.3.0',
  '192.31.195.255',
  '192.31.197.0',
  '192.52.192.255',
  '192.52.194.0',
  '192.88.98.255',
  '192.88.100.0',
  '192.167.255.255',
  '192.169.0.0',
  '192.175.47.255',
  '192.175.49.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '198.51.101.0',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '168.63.129.15',
  '168.63.129.17',
  '1.1.1.1',
  '93.184.216.34',
  '2000::',
  '2001:200::',
  '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
  '2001:db9::',
  '2003::',
  '2606:4700::1111',
  '2606:4700:0:0:0:0:0:1111',
  '2620:4f:7fff::',
  '2620:4f:8001::',
  '2a00:1450:4001::1',
  '2A00:1450::1',
  '3ffd:ffff::',
  '3fff:1000::',
];

test('public addresses are public, and those of special-purpose registries are not', () => {
  for (const [first, last, purpose] of NOT_PUBLIC)
    for (const address of [first, last]) assert.not.ok(isPublic(address), `${address}: ${purpose}`);
  for (const address of PUBLIC) assert.ok(isPublic(address), address);
});

// threat ssrf: IPv4 addresses embedded in IPv6 are recognized in every notation
test('no address that embeds an IPv4 address is public, in any notation', () => {
  for (const [dotted, hex] of [
    ['127.0.0.1', '7f00:1'],
    ['10.0.0.1', 'a00:1'],
    ['169.254.169.254', 'a9fe:a9fe'],
    ['8.8.8.8', '808:808'],
  ] as const) {
    const forms = [
      `::${dotted}`,
      `::${hex}`,
      `::ffff:${dotted}`,
      `::FFFF:${hex}`,
      `0:0:0:0:0:ffff:${dotted}`,
      `::ffff:0:${dotted}`,
      `64:ff9b::${dotted}`,
      `64:ff9b::${hex}`,
      `0064:FF9B:0:0:0:0:${hex}`,
      `64:ff9b:1::${dotted}`,
      `2002:${hex}::1`,
      `2002:${hex}:0:0:0:0:0:1`,
      `2001:0:${hex}::1`,
      `2001::5ef5:79fd:0:fbff:${hex}`,
    ];
    for (const form of forms) assert.not.ok(isPublic(form), form);
  }
});

test('names, numbers, zones, brackets and ranges are not public addresses', () => {
  for (const text of [
    '',
    'x',
    'localhost',
    '1.1.1',
    '1.1.1.1.',
    '1.1.1.1 ',
    ' 1.1.1.1',
    '01.1.1.1',
    '1.1.1.1/8',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '[2606:4700::1111]',
    '2606:4700::1111%eth0',
    'fe80::1%1',
    '2606:4700::1111%',
    '2606:4700::/32',
    ':::',
    '１.１.１.１',
  ]) {
    assert.not.ok(isPublic(text), JSON.stringify(text));
  }
});

test('a network is an IPv4 address, or the first 64 bits of an IPv6 one', () => {
  assert.is(addressNetwork('203.0.113.9'), '203.0.113.9');
  assert.is(addressNetwork('2001:db8::1'), '2001:db8:0:0::/64');
  assert.is(addressNetwork('2001:0DB8:0000:0000:ffff::'), '2001:db8:0:0::/64');
  assert.is(addressNetwork('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.is(addressNetwork('::1'), '0:0:0:0::/64');
  assert.is(addressNetwork('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.is(addressNetwork('::ffff:203.0.113.9'), '203.0.113.9');
  assert.is(addressNetwork(''), '');
  assert.is(addressNetwork('2001:db8:1:2:3:4:5:6', 48), '2001:db8:1::/48');
  assert.is(addressNetwork('203.0.113.9', 48), '203.0.113.9');
});
