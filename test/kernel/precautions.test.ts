import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { precautions } from '../../kernel/cli/precautions.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import { hostkeep, start } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testConfig } from '../support/hostkeep.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('precautions');
const SECRET = 'a-secret-of-the-proxy';

/** Writes settings to a file that is private, and returns its path. */
function settingsFile(settings: Record<string, unknown>): string {
  const file = join(temporaryFolder(), 'settings.json');
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  return file;
}

// threat weak-limiter: a trusted proxy on loopback is distrusted unless it proves itself
test('loopback among the trusted proxies is warned of, unless they share a secret', () => {
  const isFine = (trusted_proxies: string[], proxy_secret = '') =>
    precautions(testConfig('/nowhere', { trusted_proxies, proxy_secret })).find(
      ({ name }) => name === 'trusted_proxies',
    )?.ok;
  for (const ranges of [['127.0.0.1'], ['::1'], ['10.0.0.0/8', '127.0.0.0/8'], ['0.0.0.0/0'], ['::/0']])
    assert.equal([isFine(ranges), isFine(ranges, SECRET)], [false, true], ranges.join());
  for (const ranges of [[], ['10.0.0.0/8'], ['2001:db8::/32']]) assert.ok(isFine(ranges), ranges.join());
});

test('doctor and the log say what is unsafe', async () => {
  const data = temporaryFolder();
  const file = settingsFile({ trusted_proxies: ['127.0.0.1'] });
  const { stdout } = await hostkeep(data, ['--config', file, 'doctor', '--json']);
  const found = (JSON.parse(stdout) as Finding[]).find(({ name }) => name === 'trusted_proxies');
  assert.is(found?.ok, false);
  assert.match(found?.remedy ?? '', /proxy_secret/);
  const { child } = await start(data, ['serve', '--config', file], /"msg":"trusted_proxies: every local process/);
  child.kill('SIGTERM');
  await once(child, 'exit');
});
