/** The rights of the browser, and systems on which its sandbox does not work. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import * as assert from '../../../support/assert.ts';
import type { PluginStatus } from '../../../../kernel/contract/node-info.ts';
import type { Finding } from '../../../../kernel/contract/points/finding.ts';
import type { ProcessRights } from '../fixtures/browser-rights.ts';
import { withBrowser } from '../fixtures/harness.ts';
import { AS_NOBODY, NO_RIGHTS, WITH_CAPABILITIES } from '../../../support/process-rights.ts';
import { reportSkipped, testSuite } from '../../../support/suite.ts';

const test = testSuite("the browser's sandbox");
const inBrowser = withBrowser(test);
const FIXTURES = join(import.meta.dirname, '../fixtures');
const run = promisify(execFile);

const isRoot = process.getuid?.() === 0;
if (!isRoot) reportSkipped('the rights of the browser below a service with capabilities; run as root');

/** Runs a fixture in a user namespace, with the same ids, in which no further one can be made. */
async function withoutNamespaces(fixture: string, ...args: string[]): Promise<string> {
  const script = `echo ready; read go; exec sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"' sh "$@"`;
  const command = [process.execPath, join(FIXTURES, fixture), ...args];
  const child = spawn('unshare', ['--user', 'sh', '-c', script, 'sh', ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  for (const map of ['uid_map', 'gid_map']) writeFileSync(`/proc/${child.pid}/${map}`, '0 0 65536');
  child.stdin.end('go\n');
  return text(child.stdout);
}

// threat inherited-rights: no process of the browser has a capability of the service
inBrowser('no process of the browser has a capability, whatever the service has', async () => {
  if (!isRoot) return;
  for (const user of [[], AS_NOBODY]) {
    const args = [...user, ...WITH_CAPABILITIES, '--', process.execPath, join(FIXTURES, 'browser-rights.js')];
    const processes = JSON.parse((await run('setpriv', args)).stdout) as ProcessRights[];
    for (const kind of ['browser', 'crash handler', 'zygote', 'utility', 'renderer'])
      assert.ok(
        processes.some((each) => each.kind === kind),
        `${kind} in ${processes.map((each) => each.kind).join()}`,
      );
    for (const { kind, uid, rights, hasOwnNamespace } of processes) {
      assert.is(uid, 65_534, kind);
      if (hasOwnNamespace) assert.is(rights['NoNewPrivs'], 1, kind);
      else assert.equal(rights, NO_RIGHTS, kind);
    }
    assert.ok(processes.some(({ kind, hasOwnNamespace }) => kind === 'renderer' && hasOwnNamespace));
  }
});

// threat hostile-page: without its sandbox the browser does not run, except in the demo and where the operator says so
inBrowser('without a sandbox the plugin is unavailable, except in the demo or off', async () => {
  if (!isRoot) return;
  const stateOf = async (...args: string[]) =>
    JSON.parse(await withoutNamespaces('without-sandbox.js', ...args)) as PluginStatus & { sandbox?: Finding };
  const required = await stateOf();
  assert.equal([required.state, required.reason], ['unavailable', 'the browser finds no sandbox on this system']);
  assert.is(required.remedy, 'permit user namespaces: sysctl user.max_user_namespaces=15000');
  const demo = await stateOf('demo');
  assert.equal([demo.state, demo.sandbox?.ok, demo.sandbox?.remedy], ['ready', false, required.remedy]);
  const off = await stateOf('off');
  assert.equal(
    [off.state, off.sandbox?.ok, off.sandbox?.remedy],
    ['ready', false, 'set screenshots.sandbox to required'],
  );
});
