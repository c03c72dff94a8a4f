import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { ConfigError, loadConfig } from '../../kernel/config/configuration.ts';
import { precautions } from '../../kernel/run/examination/precautions.ts';
import { pluginSettings } from '../../kernel/host/discovery.ts';
import { allPlugins } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';
import { SECRET, secretFile, settingsFile, unusableSecrets } from '../support/unusable-secrets.ts';
import { assertNone } from '../support/lists.ts';

const plugins = await allPlugins();
const test = testSuite('secret files');

/** Loads settings, with those of every plugin. */
function load(settings: Record<string, unknown>) {
  const config = loadConfig(settingsFile(settings), {});
  return {
    config,
    sections: Object.fromEntries(plugins.map((plugin) => [plugin.name, pluginSettings(plugin, config)])),
  };
}

test('an unusable secret is refused with its setting and without its content', () => {
  for (const { name, setting, settings, message } of unusableSecrets()) {
    const isExpected = (error: Error) =>
      error instanceof ConfigError &&
      message.test(error.message) &&
      error.message.includes(`settings.json: ${setting} `) &&
      !error.message.includes(SECRET);
    assert.throws(() => load(settings), isExpected, `${setting}: ${name}`);
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
  assertNone(await precautions(config), ({ ok }) => !ok, 'the configuration itself may be open to others');
  process.env['CREDENTIALS_DIRECTORY'] = join(file, '..');
  try {
    const { sections: given } = load({ metrics: { token_file: '$CREDENTIALS_DIRECTORY/secret' } });
    assert.equal(given['metrics'], { token: SECRET });
  } finally {
    delete process.env['CREDENTIALS_DIRECTORY'];
  }
});
