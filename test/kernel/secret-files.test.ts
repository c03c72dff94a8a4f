import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { configFaults } from '../../plugins/operations/config-faults.ts';
import { ConfigError, loadConfig } from '../../kernel/config/configuration.ts';
import { precautions } from '../../kernel/run/examination/precautions.ts';
import { pluginSettings } from '../../kernel/host/discovery.ts';
import { configurationFiles } from '../../kernel/run/configuration-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { allPlugins } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const SECRET = 'a-secret-of-24-characters';

const plugins = await allPlugins();
const test = testSuite('secret files');

const faultsOf = (file: string) => configFaults(configurationFiles(file, () => loadConfig(file, {})));

function settingsFile(settings: Record<string, unknown>): string {
  const file = join(temporaryFolder(), 'settings.json');
  writeFileSync(file, JSON.stringify(settings), { mode: 0o644 });
  return file;
}

function secretFile(text = `${SECRET}\n`, mode = 0o600): string {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

/** Loads settings, with those of every plugin. */
function load(settings: Record<string, unknown>) {
  const config = loadConfig(settingsFile(settings), {});
  return {
    config,
    sections: Object.fromEntries(plugins.map((plugin) => [plugin.name, pluginSettings(plugin, config)])),
  };
}

test('an unusable secret is refused with its setting and without its content', async () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'secret'), { mode: 0o700 });
  const table: readonly [name: string, file: unknown, message: RegExp][] = [
    ['missing', '/nonexistent/secret', /names \/nonexistent\/secret, which cannot be read: ENOENT/],
    ['open to others', secretFile(SECRET, 0o644), /is open to other users: run `chmod g-w,o= \S+`$/],
    ['writable by its group', secretFile(SECRET, 0o660), /is open to other users/],
    ['empty', secretFile('\n'), /which is empty$/],
    ['a folder', join(folder, 'secret'), /which is no file of a secret$/],
    ['a pipe', pipe, /which is no file of a secret$/],
    ['too large', secretFile('x'.repeat(70_000)), /which is no file of a secret$/],
    ['a relative path', 'secret', /must be an absolute path, or begin with \$CREDENTIALS_DIRECTORY\/$/],
    ['no text', 5, /must be an absolute path/],
    ['a credential without systemd', '$CREDENTIALS_DIRECTORY/x', /systemd has passed none to this process$/],
  ];
  const parts: readonly [string, (file: unknown) => Record<string, unknown>][] = [
    ['proxy_secret_file', (file) => ({ proxy_secret_file: file })],
    ['metrics.token_file', (file) => ({ metrics: { token_file: file } })],
    ['databases.servers.main.password_file', (file) => ({ databases: { servers: { main: { password_file: file } } } })],
    [
      'webhooks.endpoints.0.secret_file',
      (file) => ({ webhooks: { endpoints: [{ url: 'https://a.example', secret_file: file }] } }),
    ],
  ];
  for (const [setting, settingsOf] of parts)
    for (const [name, file, pattern] of table) {
      const isExpected = (error: Error) =>
        error instanceof ConfigError &&
        pattern.test(error.message) &&
        error.message.includes(`settings.json: ${setting} `) &&
        !error.message.includes(SECRET);
      assert.throws(() => load(settingsOf(file)), isExpected, `${setting}: ${name}`);
      const { faults } = await faultsOf(settingsFile(settingsOf(file)));
      assert.is(faults.length, 1, `${setting}: ${name}`);
      assert.is(faults[0]?.setting, setting);
      assert.match(faults[0]?.message ?? '', pattern);
      assert.is(faults[0]?.line, 1);
    }
  assert.throws(
    () => load({ metrics: { token: SECRET, token_file: secretFile() } }),
    /metrics\.token_file stands beside token: set only one$/,
  );
  assert.throws(() => load({ metrics: { token_file: secretFile('short') } }), /metrics\.token must match pattern/);
  assert.throws(() => load({ usage: { access_file: secretFile() } }), /usage\.access_file is not known here/);
});

// threat leaked-secrets: secrets may stand in files of their own, which must be closed to other users
test('secrets are read from files and from credentials of systemd', async () => {
  const file = secretFile();
  const { config, sections } = load({
    proxy_secret_file: file,
    trusted_proxies: ['127.0.0.1'],
    webhooks: { endpoints: [{ url: 'https://a.example', secret_file: secretFile(SECRET, 0o640) }] },
  });
  assert.is(config.proxy_secret, SECRET);
  assert.is(config.sourceOf('proxy_secret'), file);
  assert.equal((sections['webhooks'] as { endpoints: unknown }).endpoints, [
    { url: 'https://a.example', secret: SECRET, events: ['*'] },
  ]);
  assert.equal(
    (await precautions(config)).filter(({ ok }) => !ok),
    [],
    'the configuration itself may be open to others',
  );
  process.env['CREDENTIALS_DIRECTORY'] = join(file, '..');
  try {
    const { sections: given } = load({ metrics: { token_file: '$CREDENTIALS_DIRECTORY/secret' } });
    assert.equal(given['metrics'], { token: SECRET });
  } finally {
    delete process.env['CREDENTIALS_DIRECTORY'];
  }
  const whole = settingsFile({ metrics: { token_file: file }, proxy_secret_file: file });
  assert.equal((await faultsOf(whole)).faults, []);
});
