import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { logPrecautions } from '../../../kernel/run/serving/node-life.ts';
import { loadConfig } from '../../../kernel/config/configuration.ts';
import { Accounts } from '../../../kernel/identity/accounts/accounts.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import { createLog } from '../../../kernel/log.ts';
import { precautions } from '../../../kernel/run/examination/precautions.ts';
import type { Finding } from '../../../kernel/contract/points/finding.ts';
import { selfSigned } from '../../support/certificate.ts';
import { hostkeep, start } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testConfig, TestServer } from '../../support/hostkeep.ts';
import { prepare } from '../../support/node-process.ts';
import { testSuite } from '../../support/suite.ts';
import { pick } from '../../support/lists.ts';

const test = testSuite('precautions');
const SECRET = 'a-secret-of-the-proxy';

/** Writes settings to a file that is private, and returns its path. */
function settingsFile(settings: Record<string, unknown>): string {
  const file = join(temporaryFolder(), 'settings.json');
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  return file;
}

// threat weak-limiter: a trusted proxy on loopback is distrusted unless it proves itself
test('loopback among the trusted proxies is warned of, unless they share a secret', async () => {
  const isFine = async (trusted_proxies: string[], proxy_secret = '') =>
    (await precautions(testConfig('/nowhere', { trusted_proxies, proxy_secret }))).find(
      ({ name }) => name === 'trusted_proxies',
    )?.ok;
  for (const ranges of [['127.0.0.1'], ['::1'], ['10.0.0.0/8', '127.0.0.0/8'], ['0.0.0.0/0'], ['::/0']])
    assert.equal([await isFine(ranges), await isFine(ranges, SECRET)], [false, true], ranges.join());
  for (const ranges of [[], ['10.0.0.0/8'], ['2001:db8::/32']]) assert.ok(await isFine(ranges), ranges.join());
});

// threat leaked-secrets: a configuration that holds a secret, or a private key, that others may read or replace is warned of
test('a configuration with a secret and a private key are closed to other users', async () => {
  const secrets: Record<string, Record<string, unknown>> = {
    proxy_secret: { proxy_secret: SECRET },
    'webhooks.endpoints.1.secret': {
      webhooks: { endpoints: [{ url: 'https://a.example' }, { url: 'https://b.example', secret: SECRET }] },
    },
    'metrics.token': { metrics: { token: SECRET } },
    'screenshots.remote_key': { screenshots: { remote_key: SECRET } },
    'databases.servers.main.password': { databases: { servers: { main: { password: SECRET } } } },
  };
  for (const [path, settings] of Object.entries(secrets)) {
    const file = settingsFile(settings);
    const found = async () => (await precautions(loadConfig(file, {}))).find(({ name }) => name === 'configuration');
    for (const mode of [0o600, 0o640, 0o400]) {
      chmodSync(file, mode);
      assert.ok((await found())?.ok, `${path} ${mode.toString(8)}`);
    }
    for (const mode of [0o644, 0o604, 0o660, 0o602]) {
      chmodSync(file, mode);
      assert.equal(await found(), {
        name: 'configuration',
        ok: false,
        detail: `${file} is open to other users, and it holds ${path}`,
        remedy: `chmod g-w,o= ${file}`,
      });
    }
  }
  const empty = settingsFile({ metrics: { token: '' }, webhooks: { endpoints: [] }, tls: selfSigned('localhost') });
  chmodSync(empty, 0o644);
  const config = loadConfig(empty, {});
  const keyOf = async () => (await precautions(config)).filter(({ name }) => name !== 'trusted_proxies');
  chmodSync(config.tls.key, 0o600);
  assert.equal(await keyOf(), [{ name: 'tls.key', ok: true, detail: `${config.tls.key} is closed to other users` }]);
  chmodSync(config.tls.key, 0o644);
  assert.match((await keyOf())[0]?.detail ?? '', /is open to other users, and it is a private key/);
});

test('doctor and the log say what is unsafe', async () => {
  const data = temporaryFolder();
  await prepare(data, {});
  const file = settingsFile({ trusted_proxies: ['127.0.0.1'], metrics: { token: SECRET } });
  chmodSync(file, 0o644);
  const { stdout, code } = await hostkeep(data, ['--config', file, 'doctor', '--json']);
  assert.is(code, 1);
  const failed = (JSON.parse(stdout) as (Finding & { plugin: string })[]).filter(
    ({ plugin, name, ok }) => plugin === 'kernel' && !ok && name !== 'broker',
  );
  assert.equal(pick(failed, 'name'), ['trusted_proxies', 'configuration']);
  const { child, line } = await start(data, ['serve', '--config', file], /"msg":"trusted_proxies: every local process/);
  await line(
    /"remedy":"chmod g-w,o= [^"]+","msg":"configuration: \S+ is open to other users, and it holds metrics.token"/,
  );
  child.kill('SIGTERM');
  await once(child, 'exit');
});

test('a server that is stopped while it looks for what is unsafe ends in order', async () => {
  const server = await TestServer.start({ plugins: [] });
  const { accounts } = server.hostkeep.core;
  accounts.count = async (role) => {
    await server.close();
    return Accounts.prototype.count.call(accounts, role);
  };
  await logPrecautions(server.hostkeep, createLog('silent'));
  const other = await TestServer.start({ plugins: [] });
  other.hostkeep.core.accounts.count = () => Promise.reject(new Error('a fault'));
  assert.is(await logPrecautions(other.hostkeep, createLog('silent')).catch(errorMessage), 'a fault');
});
