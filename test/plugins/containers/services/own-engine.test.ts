/** Accounts' own engines, whose sockets only their accounts reach, under each user that the service may run as. */
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { FIRST_ID, NOBODY, startBroker } from '../../../support/broker.ts';
import { fakeEngine, json } from '../../../support/fake-engine.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { NodeProcess, prepare } from '../../../support/node-process.ts';
import { AS_NOBODY } from '../../../support/process-rights.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('containers-own-engine');
const PATHS = ['/api/docker_stats', '/api/container/df'];
const THROUGH = ['setpriv', ...AS_NOBODY, '--bounding-set=-all', '--no-new-privs', '--'];

/** The user ids of job processes whose parent, of the service or the broker, has a file of this folder for its settings. */
function jobUsers(settings: string): number[] {
  const read = (pid: string, name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!read(pid, 'cmdline').includes('job-process')) return [];
      const [, parent = '', uid] = /^PPid:\t(\d+)\n[^]*^Uid:\t(\d+)/m.exec(read(pid, 'status')) ?? [];
      return read(parent, 'cmdline').includes(settings) ? [Number(uid)] : [];
    } catch {
      return []; // no process, or one that has ended
    }
  });
}

/** Has ann ask for her engine's containers, and checks the user of the process that speaks with it. */
async function assertServed(
  uid: number,
  { broker, ...options }: { broker?: string; through?: readonly string[]; ids?: object; files?: string },
): Promise<void> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const at = (name: string) => join(folder, name);
  for (const name of ['data', 'run']) mkdirSync(at(name), { mode: 0o700 });
  mkdirSync(at('files'), { mode: 0o755 });
  const { through = [], ids = {}, files = at('files/{username}') } = options;
  await prepare(at('data'), { ann: 'user' });
  if (through.length > 0)
    for (const name of ['data', 'files', ...readdirSync(at('data')).map((each) => `data/${each}`)])
      chownSync(at(name), NOBODY, NOBODY);
  const engine = await fakeEngine(at('run/docker.sock'), (path, response) =>
    json(response, path === '/containers/json' ? [] : {}),
  );
  for (const name of ['run', 'run/docker.sock']) chownSync(at(name), uid, uid);
  const settings = { files_root: files, ids, ...(broker !== undefined && { broker: { socket: broker } }) };
  const containers = { socket: '', sockets: { ann: at('run/docker.sock') } };
  // it looks into files, which takes the service's rights to see that there are none
  const plugins = { trash: false };
  const node = await NodeProcess.start(at('data'), { config: { ...settings, containers, plugins }, through });
  try {
    const token = await node.login('ann');
    for (const path of PATHS)
      await until(`an answer to ${path}`, async () => (await node.ask(path, { token })).status === 200);
    const users = jobUsers(broker === undefined ? node.settings : join(broker, '../etc/'));
    assert.ok(users.includes(uid) && users.every((each) => each === uid), `${users}, and not ${uid}`);
  } finally {
    await node.end();
    await engine.close();
  }
}

if (process.getuid?.() === 0) {
  test('a service of root has an account without files speak with its engine', () =>
    assertServed(FIRST_ID + 1, { ids: { first: FIRST_ID } }));

  // asvs 13.2.2: what a customer's engine replies is parsed with the rights of that customer only
  test('a service without rights has the broker start the process of the account', async () => {
    const broker = await startBroker();
    try {
      const files = join(broker.folder, 'files/{username}');
      mkdirSync(join(broker.folder, 'files/ann'), { mode: 0o700 });
      chownSync(join(broker.folder, 'files/ann'), FIRST_ID + 1, FIRST_ID + 1);
      const ids = { first: FIRST_ID };
      await assertServed(FIRST_ID + 1, { broker: broker.socket, files, ids, through: THROUGH });
    } finally {
      await broker.kill();
    }
  });

  test('a service without rights and broker speaks with the engines of its own user', () =>
    assertServed(NOBODY, { through: THROUGH }));
}
