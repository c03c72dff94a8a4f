/** What the new home of an account takes of stored data, from a node that may be in foreign hands, and as whom. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as assert from '../../../support/assert.ts';
import { MovedTree, openMovePool } from '../../../../kernel/areas/moves/moved-tree.ts';
import type { Mover } from '../../../../kernel/contract/points/move-part.ts';
import { AccountJobs } from '../../../../kernel/kit/jobs/account-jobs.ts';
import { createLog } from '../../../../kernel/log.ts';
import { FIRST_ID, launcherAt, startBroker } from '../../../support/broker.ts';
import { codeOf } from '../../../support/code-of.ts';
import { OWN_CLI } from '../../../support/command.ts';
import { probeJobOf } from '../../../support/defined-probe.ts';
import { accountFiles, rootAt } from '../../../support/files-root.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import type { Process } from '../../../support/probe-job.ts';
import { testSuite } from '../../../support/suite.ts';
import { LIMIT_MS } from '../../../support/until.ts';
import { FIRST, openHouse } from '../house.ts';
import { hasServices } from '../programs.ts';

const test = testSuite('services: arriving data');
const SEARCH = 'elasticsearch';
/** Prints an archive with these members: name, type, and the target of a link. */
const ARCHIVE = `import io, sys, tarfile
with tarfile.open(fileobj=sys.stdout.buffer, mode='w|', format=tarfile.PAX_FORMAT) as archive:
    for member in sys.argv[1:]:
        name, kind, target = member.split('|')
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.size = kind.encode(), target, 4 if kind == '0' else 0
        info.mode, info.devmajor, info.devminor = 0o755, 1, 5
        archive.addfile(info, io.BytesIO(b'text'))`;

const archive = (...members: string[]): Buffer => execFileSync('python3', ['-c', ARCHIVE, ...members]);

/** A node to which an account moves that has switched the service on, and what its mover is asked. */
async function newHome() {
  const house = await openHouse();
  const { id } = await house.customer('ann', undefined);
  const { core, plugins } = house.server.hostkeep;
  await core.store.write((tx) => tx.run('insert into services_on (account_id, service) values (?, ?)', id, SEARCH));
  const part = (await plugins.gather('move')).find(({ plugin }) => plugin === 'services');
  const mover = (part?.ok === true ? part.value.mover : undefined) as Mover;
  const account = { id, username: 'ann' };
  const ask = (name: string, about: string, body: Buffer = Buffer.alloc(0)) =>
    mover.arrive({ name, about, account, body: Readable.from([body]), signal: new AbortController().signal });
  return {
    mover,
    account,
    ask,
    uid: FIRST + id,
    stored: join(house.folder, 'stored'),
    folder: join(house.folder, `stored/${id}`),
  };
}

if (hasServices()) {
  // threat stolen-service: another node names no folder, and nothing of a service that is off
  test('a request of another form makes nothing', async () => {
    const { ask, stored } = await newHome();
    const sizes = ['', ' 1', ' -1 1', ' 1 1e3', ' 1 1\n', `  1`];
    const abouts = [...sizes.map((size) => `${SEARCH}${size}`), '../ann 1 1', '/etc 1 1', '. 1 1', ' 1 1', 'A 1 1'];
    for (const name of ['room', 'stored', 'digest'])
      for (const about of abouts) assert.is(await codeOf(ask(name, about)), 'invalid_request', `${name} ${about}`);
    assert.is(await codeOf(ask('discard', `${SEARCH} 1 1`)), 'not_found');
    for (const name of ['room', 'stored', 'digest'])
      assert.is(await codeOf(ask(name, 'opensearch 1 1')), 'move_refused', name);
    assert.not(existsSync(stored));
  });

  // threat hostile-files: names that climb, links that lead elsewhere, devices: nothing is written but in the folder
  test('an archive writes nothing outside of the folder, and as the account alone', async () => {
    const { ask, folder, mover, account, uid } = await newHome();
    const outside = temporaryFolder();
    chmodSync(outside, 0o777);
    assert.is(await codeOf(ask('room', `${SEARCH} 999999999999999 1`)), 'move_refused');
    for (const hostile of [
      Buffer.from('no archive'),
      archive('../climbed|0|'),
      archive(`link|2|${outside}`, 'link/through|0|'),
      archive('link|2|../..', 'link/through|0|'),
      archive('hard|1|/etc/passwd'),
      archive('hard|1|../../files/ann'),
      archive('device|3|'),
    ])
      assert.is(await codeOf(ask('stored', `${SEARCH} 1 1`, hostile)), 'files_unavailable');
    assert.equal([readdirSync(outside), readdirSync(folder)], [[], [SEARCH]]);
    await mover.discard(account);
    assert.not(existsSync(folder));
    await ask('stored', `${SEARCH} 1 1`, archive('indices|5|', 'indices/one|0|', '/absolute|0|'));
    const names = ['', 'indices', 'indices/one', 'absolute'].map((name) => statSync(join(folder, SEARCH, name)));
    assert.equal(
      names.map((found) => [found.uid, found.gid]),
      names.map(() => [uid, uid]),
    );
    assert.equal([statSync(folder).uid, statSync(folder).mode & 0o777], [0, 0o700]);
    assert.is(readFileSync(join(folder, SEARCH, 'indices/one'), 'utf8'), 'text');
  });

  test('what changes after its copy, or is another one there, keeps the account', async () => {
    const { mover, account, folder, uid } = await newHome();
    const own = join(folder, SEARCH);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'index'), 'text');
    for (const path of [own, join(own, 'index')]) chownSync(path, uid, uid);
    const { signal } = new AbortController();
    const leave = (digest: (about: string) => Promise<unknown>) =>
      mover.leave(account, {
        ...{ signal, say: () => undefined },
        ask: async ({ name, about = '' }, body) => {
          if (name === 'digest') return digest(about);
          for await (const bytes of body) assert.ok(bytes.length > 0);
          return null;
        },
      });
    assert.is(await codeOf(leave(async () => '1-f').close()), 'move_refused');
    const same = (about: string) => mover.arrive({ name: 'digest', about, account, body: Readable.from([]), signal });
    const leaving = leave(same);
    await leaving.close();
    assert.is(await codeOf(leaving.assertClosed()), 'done');
    writeFileSync(join(own, 'index'), 'text');
    assert.is(await codeOf(leaving.assertClosed()), 'move_refused');
  });

  // threat stolen-service: a caller of the broker gets a process in a folder that the plugin names, as the account that owns it
  test('the broker starts jobs in the folder of the account that is named, and no other', async () => {
    const stored = join(temporaryFolder(), 'stored');
    const broker = await startBroker({ services: { storage_folder: stored } }, OWN_CLI); // no other program runs the tests' jobs
    const client = await launcherAt(broker.socket);
    const files = accountFiles(join(broker.folder, 'files/{username}'));
    const jobs = new AccountJobs(files, { processes: 2, memory_mib: 192 }, createLog('silent'), client);
    const pool = openMovePool(jobs);
    const ownerOf = (id: number) => ({
      ...jobs.ownerOf({ id, username: 'ann' }, { state: 'probe', makesRoot: true }),
      ...{ root: rootAt(join(stored, String(id), SEARCH)), folder: { plugin: 'services', name: SEARCH } },
    });
    const who = (id: number) => pool.run(probeJobOf(), ownerOf(id), { act: 'who' }) as Promise<Process>;
    try {
      const run = { account: { id: 1, username: 'ann' }, state: null, makesRoot: true };
      const limits = { memoryMib: 128, openFiles: 100, fileMib: 1 };
      for (const folder of [
        { plugin: 'services', name: '../1' },
        { plugin: 'services', name: '/etc' },
        { plugin: 'services', name: '' },
        { plugin: 'quota', name: SEARCH },
        { plugin: '', name: SEARCH },
        { plugin: 'services', name: SEARCH, path: '/etc' },
        '/etc',
      ])
        assert.is(await codeOf(client.call('run', { ...run, limits, folder }, LIMIT_MS)), 'invalid_request');
      assert.equal((({ uid, gid, groups }) => [uid, gid, groups])(await who(1)), [
        FIRST_ID + 1,
        FIRST_ID + 1,
        [FIRST_ID + 1],
      ]);
      const { uid, gid, mode } = statSync(join(stored, '1', SEARCH));
      assert.equal([uid, gid, mode & 0o777], [FIRST_ID + 1, FIRST_ID + 1, 0o700]);
      assert.equal([statSync(join(stored, '1')).mode & 0o777, readdirSync(join(broker.folder, 'files'))], [0o700, []]);
      const { signal } = new AbortController();
      const trees = [1, 4].map((id) => new MovedTree(pool, ownerOf(id), signal)) as [MovedTree, MovedTree];
      await trees[0].unpack(Readable.from([archive('indices|5|', 'indices/one|0|')]));
      await trees[1].unpack(trees[0].packed(true));
      assert.is(await trees[1].digest(), await trees[0].digest());
      assert.is(statSync(join(stored, '4', SEARCH, 'indices/one')).uid, FIRST_ID + 4);
      for (const [id, owner] of [
        [2, 0],
        [3, FIRST_ID + 1],
      ] as const) {
        const foreign = join(stored, String(id), SEARCH);
        mkdirSync(foreign, { recursive: true });
        chownSync(foreign, owner, owner);
        assert.is(await codeOf(who(id)), 'files_unavailable');
      }
    } finally {
      await pool.close();
      await jobs.close();
      await broker.kill();
    }
  });
}
