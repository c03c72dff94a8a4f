import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { ConfigError, installedConfig, loadConfig, withSetting } from '../../kernel/config/configuration.ts';
import { splitHostPort } from '../../kernel/kit/net/host-port.ts';
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
  refused({ tls: { cert: '/nonexistent', key: '/etc/passwd' } }, /settings.json: tls.cert cannot be read: ENOENT/);
  refused({ listen: '127.0.0.1:99999' }, /settings.json: listen has a port above 65535/);
  refused({ admin_listen: '300.1.1.1:80' }, /settings.json: admin_listen has no IP address: 300.1.1.1/);
  for (const admin_listen of ['127.0.0.1:2083', '0.0.0.0:2083', '[::]:2083'])
    refused(
      { listen: '127.0.0.1:2083', admin_listen },
      /settings.json: admin_listen is taken by listen \(127.0.0.1:2083\)/,
    );
  refused({ tls: { cert: '/a.pem' } }, /settings.json: tls.cert needs tls.key beside it: set both or neither/);
  refused({ virtual_root: 'www/' }, /virtual_root/);
  assert.throws(() => loadConfig('/nowhere/settings.json', {}), /ENOENT/);
});

// threat open-usage-api: the default addresses are loopback
test('a file overrides the defaults, and the environment overrides both', () => {
  assert.is(loadConfig(undefined, {}).listen, '127.0.0.1:2083');
  const config = load(
    { tls: { cert: '/etc/passwd', key: '/etc/hosts' }, log: { level: 'warn' }, usage: { access: 'feature' } },
    { HOSTKEEP_LISTEN: '[::1]:5', HOSTKEEP_DATA: '/x/../y' },
  );
  assert.is(config.admin_listen, '127.0.0.1:2087');
  assert.is(config.listen, '[::1]:5');
  assert.is(config.data, '/y');
  assert.is(config.log.level, 'warn');
  assert.equal(config.sections, { usage: { access: 'feature' } });
});

test('included files override the including file, in the order of their names', () => {
  const folder = temporaryFolder();
  const write = (name: string, settings: unknown) => writeFileSync(join(folder, name), JSON.stringify(settings));
  mkdirSync(join(folder, 'conf.d'));
  write('main.json', { include: ['conf.d/*.json', join(folder, 'last.json'), 'none/*.json'], log: { level: 'warn' } });
  write('conf.d/20-b.json', { listen: '127.0.0.1:2', usage: { access: 'feature' } });
  write('conf.d/10-a.json', { listen: '127.0.0.1:1', admin_listen: '127.0.0.1:1', usage: { access: 'admin', x: 1 } });
  write('conf.d/.hidden.json', { listen: '127.0.0.1:3' });
  write('conf.d/note.txt', {});
  write('last.json', { token: { ttl_seconds: 60 } });
  const config = loadConfig(join(folder, 'main.json'), {});
  assert.is(config.listen, '127.0.0.1:2');
  assert.is(config.admin_listen, '127.0.0.1:1');
  assert.is(config.log.level, 'warn');
  assert.is(config.token.ttl_seconds, 60);
  assert.equal(config.sections, { usage: { access: 'feature', x: 1 } });
  assert.is(config.sourceOf('usage.x'), join(folder, 'conf.d/10-a.json'));
  assert.is(config.sourceOf('usage.access'), join(folder, 'conf.d/20-b.json'));
  assert.is(config.sourceOf('usage.access.below'), join(folder, 'conf.d/20-b.json'));

  const refusedWith = (pattern: RegExp) => assert.throws(() => loadConfig(join(folder, 'main.json'), {}), pattern);
  write('conf.d/20-b.json', { listen: 'nowhere' });
  refusedWith(/^[^ ]+\/conf\.d\/20-b\.json: listen /);
  write('conf.d/20-b.json', { token: { tll: 1 } });
  refusedWith(/^[^ ]+\/conf\.d\/20-b\.json: token\.tll is not known here/);
  writeFileSync(join(folder, 'conf.d/20-b.json'), '{');
  refusedWith(/^[^ ]+\/conf\.d\/20-b\.json: /);
});

test('the configuration of an installed node is found without its name', () => {
  const file = join(temporaryFolder(), 'hostkeep.json');
  assert.is(installedConfig(file), undefined);
  writeFileSync(file, '{}');
  assert.is(installedConfig(file), file);
});

test('an address is split into host and port', () => {
  assert.equal(splitHostPort('[::1]:443'), { host: '::1', port: 443 });
  assert.equal(splitHostPort('0.0.0.0:0'), { host: '0.0.0.0', port: 0 });
});

test('a member set over the files has another source, and is checked as theirs are', () => {
  const files = load({ token: { ttl_seconds: 100 }, usage: { interval_ms: 1000, access: 'feature' } });
  const config = withSetting(
    withSetting(files, 'token.ttl_seconds', 200, 'console'),
    'usage.access',
    'admin',
    'console',
  );
  assert.is(config.token.ttl_seconds, 200);
  assert.equal(config.sections['usage'], { interval_ms: 1000, access: 'admin' });
  assert.equal([config.originOf('usage.access'), config.originOf('token.ttl_seconds')], ['console', 'console']);
  assert.match(config.originOf('usage.interval_ms') ?? '', /settings\.json$/);
  assert.equal([files.token.ttl_seconds, files.sections['usage']], [100, { interval_ms: 1000, access: 'feature' }]);
  assert.equal(withSetting(files, 'cors_origins', [], 'console').originOf('cors_origins'), 'console');
  assert.throws(() => withSetting(files, 'token.ttl_seconds', 1, 'console'), /^console: token\.ttl_seconds /);
  assert.throws(
    () => withSetting(files, 'cors_origins', ['a'], 'console'),
    /^console: cors_origins\.0 "a" is not an origin/,
  );
});
