import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { createLog } from '../../../kernel/log.ts';
import type { JobUser } from '../../../kernel/kit/jobs/job.ts';
import type { ControlGroups } from '../../../kernel/kit/programs/control-groups.ts';
import { ServicePrograms } from '../../../plugins/services/programs/service-programs.ts';
import { codeOf } from '../../support/code-of.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { hasServices } from './programs.ts';

const test = testSuite('verbs of services');
const ANN = { id: 1, username: 'ann' };

function programs(user: Partial<JobUser> | null, group?: string) {
  const root = temporaryFolder();
  const [run, stored] = [join(root, 'run'), join(root, 'stored')];
  const opened = new ServicePrograms({
    config: {
      run_folder: run,
      storage_folder: stored,
      recipes_folder: '',
      engine_socket: join(root, 'engine'),
    },
    log: createLog('silent'),
    rootOf: () => ({ path: root, operatorPath: root, below: [] }),
    userOf: () => (user === null ? null : { uid: 1, namesakeUid: null, webGid: null, isRequired: true, ...user }),
    ...(group !== undefined && { groups: { ofAccount: (id: number) => join(group, String(id)) } as ControlGroups }),
    signal: new AbortController().signal,
  });
  return { opened, root, run, stored };
}

// threat stolen-service: a caller in foreign hands chooses no program, no argument and no path
test('the broker takes the name of a recipe and an amount of memory, and nothing else', async () => {
  const { opened, run, stored } = programs({});
  const good = { account: ANN, service: 'redis', memoryMib: 64, sites: null };
  const sites = { host: '127.0.0.1', port: 80, key: '0'.repeat(64) };
  for (const faulty of [
    null,
    { ...good, service: 'sshd' },
    { ...good, service: '../../tmp/redis' },
    { ...good, memoryMib: 0 },
    { ...good, memoryMib: 1e9 },
    { ...good, memoryMib: '64 --port 6379' },
    { ...good, account: { id: 0, username: 'root' } },
    { ...good, account: { id: 1, username: '../ann' } },
    { ...good, arguments: ['--port', '6379'] },
    { ...good, sites: { ...sites, host: '127.0.0.1"; .path = "/run/other.sock' } },
    { ...good, sites: { ...sites, port: 0 } },
    { ...good, sites: { ...sites, key: '"' } },
  ])
    assert.is(await codeOf(opened.start(faulty)), 'invalid_request', JSON.stringify(faulty));
  for (const faulty of [{ accountId: 1, name: '../1' }, { accountId: '..', name: 'redis-0123456789ab' }, 'redis'])
    assert.is(await codeOf(opened.stop(faulty)), 'invalid_request', JSON.stringify(faulty));
  const log = { accountId: 1, service: 'redis', sites: null };
  for (const faulty of [{ ...log, accountId: '1' }, { ...log, service: '../redis' }, { ...log, lines: 1e9 }, null])
    assert.is(await codeOf(opened.log(faulty)), 'invalid_request', JSON.stringify(faulty));
  const folder = { accountId: 1, name: 'elasticsearch' };
  for (const faulty of [{ ...folder, name: '../1' }, { ...folder, name: '/etc' }, { ...folder, accountId: '1' }, null])
    assert.is(await codeOf(opened.folder(faulty)), 'invalid_request', JSON.stringify(faulty));
  assert.is(await codeOf((async () => opened.end('../1'))()), 'invalid_request');
  assert.is(await codeOf(opened.running('../1')), 'invalid_request');
  assert.equal(
    [run, stored].map((path) => existsSync(path)),
    [false, false],
  );
});

if (hasServices())
  test('nothing is started in files of another owner, or without a user id', async () => {
    for (const user of [{ uid: 12_345 }, null]) {
      const { opened, run } = programs(user);
      assert.is(
        await codeOf(opened.start({ account: ANN, service: 'redis', memoryMib: 64, sites: null })),
        'service_failed',
      );
      assert.is(existsSync(run), false);
    }
  });

if (hasServices() && process.getuid?.() === 0)
  test('a service runs in the control group of its account', async () => {
    const group = temporaryFolder(); // in place of the kernel's, which takes the id of a process the same way
    mkdirSync(join(group, '1'));
    const { opened, root } = programs({}, group);
    const own = join(root, '.services/redis');
    mkdirSync(own, { recursive: true, mode: 0o700 });
    for (const folder of [root, join(root, '.services'), own]) chownSync(folder, 1, 1);
    try {
      await opened.start({ account: ANN, service: 'redis', memoryMib: 64, sites: null });
      const procs = join(group, '1/cgroup.procs');
      await until('a process joins the group', () => existsSync(procs) && readFileSync(procs, 'utf8').endsWith('\n'));
      const pid = readFileSync(procs, 'utf8').trim();
      await until('it becomes the service', () =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('redis-server'),
      );
    } finally {
      await opened.end(1);
    }
  });
