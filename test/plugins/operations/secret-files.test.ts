import * as assert from '../../support/assert.ts';
import { loadConfig } from '../../../kernel/config/configuration.ts';
import { configurationFiles } from '../../../kernel/run/configuration-files.ts';
import { configFaults } from '../../../plugins/operations/config-faults.ts';
import { testSuite } from '../../support/suite.ts';
import { secretFile, settingsFile, unusableSecrets } from '../../support/unusable-secrets.ts';

const test = testSuite('configuration faults, secret files');

const faultsIn = (settings: Record<string, unknown>) => {
  const file = settingsFile(settings);
  return configFaults(configurationFiles(file, () => loadConfig(file, {})));
};

test('an unusable secret is one fault at its setting and line', async () => {
  for (const { name, setting, settings, message } of unusableSecrets()) {
    const { faults } = await faultsIn(settings);
    assert.is(faults.length, 1, `${setting}: ${name}`);
    assert.is(faults[0]?.setting, setting);
    assert.match(faults[0]?.message ?? '', message);
    assert.is(faults[0]?.line, 1);
  }
});

test('secrets in files of their own are no fault', async () => {
  const file = secretFile();
  assert.equal((await faultsIn({ metrics: { token_file: file }, proxy_secret_file: file })).faults, []);
});
