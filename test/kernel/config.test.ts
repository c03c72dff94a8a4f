import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { ConfigError, loadConfig } from '../../kernel/config/configuration.ts';
import { splitHostPort } from '../../kernel/system/host-port.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('configuration');

function load(settings: unknown, env: NodeJS.ProcessEnv = {}) {
  const file = join(temporaryFolder(), 'settings.json');
  writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
  return loadConfig(file, env);
}

const refused = (settings: unknown, pattern: RegExp) =>
  assert.throws(
    () => load(settings),
    (error: Error) => error instanceof ConfigError && pattern.test(error.message),
  );

test('an invalid configuration is rejected with an error naming file and setting', () => {
  refused('{', /settings.json: /);
  refused('[]', /settings.json: is not a JSON object/);
  refused({ edition: 'free' }, /settings.json: edition/);
  refused({ listen: '127.0.0.1' }, /listen/);
  refused({ token: { ttl_seconds: 1 } }, /token.ttl_seconds/);
  refused({ token: { tll: 1 } }, /token.tll is not known here/);
  refused({ tls: { cert: '/a.pem' } }, /tls needs both cert and key/);
  refused({ virtual_root: 'www/' }, /virtual_root/);
  assert.throws(() => loadConfig('/nowhere/settings.json', {}), /ENOENT/);
});

test('the shipped defaults fit, a file is laid over them, and the environment over both', () => {
  assert.is(loadConfig(undefined, {}).listen, '127.0.0.1:2083');
  const config = load(
    { tls: { cert: 'a', key: 'b' }, log: { level: 'warn' }, usage: { access: 'feature' } },
    { HOSTKEEP_LISTEN: '[::1]:5', HOSTKEEP_DATA: '/x/../y' },
  );
  assert.is(config.admin_listen, '127.0.0.1:2087');
  assert.is(config.listen, '[::1]:5');
  assert.is(config.data, '/y');
  assert.is(config.log.level, 'warn');
  assert.equal(config.sections, { usage: { access: 'feature' } });
});

test('an address is split into host and port', () => {
  assert.equal(splitHostPort('[::1]:443'), { host: '::1', port: 443 });
  assert.equal(splitHostPort('0.0.0.0:0'), { host: '0.0.0.0', port: 0 });
});
