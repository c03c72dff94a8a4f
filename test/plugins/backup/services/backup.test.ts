import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { dataFilesAt } from '../../../../kernel/run/data/data-files.ts';
import { VERSION } from '../../../../kernel/kit/files/project-dir.ts';
import { createBackup, verifyBackup, type Manifest } from '../../../../plugins/backup/backup-file.ts';
import { restoreBackup } from '../../../../plugins/backup/restore.ts';
import { SqliteEngine } from '../../../../kernel/store/sqlite/sqlite-engine.ts';
import type { Store } from '../../../../kernel/store/store.ts';
import { codeOf, enableTwofa, logIn } from '../../../support/account-client.ts';
import { hostkeep } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { testConfig, TestServer } from '../../../support/hostkeep.ts';
import { NodeProcess, prepare } from '../../../support/node-process.ts';
import { storesInFiles } from '../../../support/postgres.ts';
import { testSuite } from '../../../support/suite.ts';
import { migrate } from '../../../../kernel/store/migrate.ts';

const test = testSuite('backup');
storesInFiles();

const rejected = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'did not fail';
};

const filesIn = (data: string) => dataFilesAt(testConfig(data));

const tar = (folder: string, ...args: string[]): string =>
  execFileSync('tar', ['-C', folder, ...args], { encoding: 'utf8' });

/** A data folder with accounts, and a backup of it in another folder. */
async function backedUp(): Promise<{ data: string; file: string }> {
  const data = temporaryFolder();
  await prepare(data, { ann: 'user', root: 'admin' });
  const file = join(temporaryFolder(), 'node.tar');
  await createBackup(filesIn(data), file, VERSION);
  return { data, file };
}

/** Unpacks a backup, lets `change` edit its files, and packs them again as the same kind of tar file. */
function repacked(file: string, change: (folder: string, manifest: Manifest) => void, names?: string[]): string {
  const folder = temporaryFolder();
  tar(folder, '-xf', file);
  change(folder, JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest);
  const target = join(temporaryFolder(), 'changed.tar');
  tar(folder, '--format=ustar', '-cf', target, ...(names ?? ['manifest.json', 'keys.json', 'hostkeep.db', 'node.db']));
  return target;
}

const editManifest = (file: string, change: (manifest: Manifest) => Manifest, names?: string[]) =>
  repacked(
    file,
    (folder, manifest) => writeFileSync(join(folder, 'manifest.json'), JSON.stringify(change(manifest))),
    names,
  );

test('a restored node has its tokens, second factors, sessions and domains', async () => {
  const server = await TestServer.start();
  const { account, token } = await server.user('ann');
  const { secret } = await enableTwofa(server, token);
  await server.with(token).asks('POST /api/domains/new', { domain_url: 'shop.example' }, 201);
  await server.ask('/api/account/2fa', { token });
  const folder = temporaryFolder();
  const created = await hostkeep(server.data, ['backup', 'create', folder, '--json']);
  assert.is(created.code, 0, created.stderr);
  const { file, hostkeep: version, migrations } = JSON.parse(created.stdout) as Manifest & { file: string };
  assert.is(version, VERSION);
  assert.ok(migrations.some(({ owner, name }) => owner === 'domains' && name.startsWith('0001-')));
  assert.equal(readdirSync(folder), [file.slice(folder.length + 1)]);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const [session] = await server.hostkeep.core.sessions.list(account.id);
  const live = await server.token(account); // after the backup
  await server.close();

  const other = join(temporaryFolder(), 'new/data');
  const restored = await hostkeep(other, ['restore', file]);
  assert.is(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /^restored .+\/new\/data: made by Hostkeep/);
  assert.equal(readdirSync(other).toSorted(), ['hostkeep.db', 'keys.json', 'node.db', 'serving.lock']);
  for (const name of readdirSync(other)) assert.is(statSync(join(other, name)).mode & 0o777, 0o600, name);
  const second = await TestServer.start({ data: other });
  const domains = await second.ask('/api/domains', { token });
  assert.is(domains.status, 200, 'the token is accepted');
  assert.match(JSON.stringify(domains.body), /shop\.example/);
  assert.is((await second.ask('/api/domains', { token: live })).status, 401);
  const [kept] = await second.hostkeep.core.sessions.list(account.id);
  assert.is(kept?.id, session?.id);
  assert.is((await logIn(second, 'ann')).body['twofa_required'], true);
  assert.is((await logIn(second, 'ann', { code: codeOf(secret, 1) })).status, 200);
});

test('a backup is an ordinary tar file, and whole', async () => {
  const { data, file } = await backedUp();
  assert.is(tar('/', '-tf', file), 'manifest.json\nkeys.json\nhostkeep.db\nnode.db\n');
  const folder = temporaryFolder();
  tar(folder, '-xf', file);
  assert.equal(readFileSync(join(folder, 'keys.json')), readFileSync(join(data, 'keys.json')));
  assert.is(statSync(join(folder, 'hostkeep.db')).mode & 0o777, 0o600);
  assert.match((await hostkeep(data, ['backup', 'verify', file])).stdout, /node\.tar is whole: made by Hostkeep/);
});

test('damaged, truncated, foreign and newer backups are refused with the reason', async () => {
  const { file } = await backedUp();
  const size = statSync(file).size;
  const damaged = (damage: (path: string) => void): string => {
    const copy = join(temporaryFolder(), 'copy.tar');
    cpSync(file, copy);
    damage(copy);
    return copy;
  };
  const overwrite = (at: number, bytes: Buffer) =>
    damaged((path) => {
      const handle = openSync(path, 'r+');
      writeSync(handle, bytes, 0, bytes.length, at);
      closeSync(handle);
    });
  const cut = (to: number) => damaged((path) => truncateSync(path, to));
  const link = repacked(file, (folder) => {
    rmSync(join(folder, 'keys.json'));
    symlinkSync('/etc/passwd', join(folder, 'keys.json'));
  });
  const newer = (manifest: Manifest): Manifest => ({
    ...manifest,
    migrations: [...manifest.migrations, { owner: 'kernel', name: '9999-later.sql', sha256: '' }],
  });
  const table: readonly [string, string, RegExp][] = [
    ['cut off at the start', cut(100), /the file is cut off/],
    ['an empty file', cut(0), /the file is cut off/],
    ['cut off in the manifest', cut(600), /the file is cut off/],
    ['cut off in the store', cut(size - 20_000), /the file is cut off/],
    ['without the end', cut(size - 1024), /the file is cut off/],
    [
      'a changed byte of the local store',
      overwrite(size - 3000, Buffer.from([0x5a, 0xa5])),
      /node\.db in it is damaged/,
    ],
    [
      'a changed byte of the store',
      overwrite(size - 60_000, Buffer.from([0x5a, 0xa5])),
      /hostkeep\.db in it is damaged/,
    ],
    ['a changed byte of a header', overwrite(130, Buffer.from('7')), /it is not a tar file, or is damaged/],
    ['text', damaged((path) => writeFileSync(path, 'hello '.repeat(1000))), /it is not a tar file/],
    [
      'other keys',
      repacked(file, (folder) => writeFileSync(join(folder, 'keys.json'), '{}')),
      /keys\.json in it is dam/,
    ],
    ['a link', link, /keys\.json in it is not a regular file/],
    ['a tar file without a manifest', repacked(file, () => undefined, ['keys.json']), /it has no manifest/],
    [
      'without the store',
      repacked(file, () => undefined, ['manifest.json', 'keys.json']),
      /must hold manifest\.json, /,
    ],
    [
      'with more',
      repacked(file, () => undefined, ['manifest.json', 'keys.json', 'hostkeep.db', 'node.db', '.']),
      /in it is not a/,
    ],
    ['of another program', editManifest(file, (m) => ({ ...m, format: 'x' }) as never), /that of another program/],
    ['of another format', editManifest(file, (m) => ({ ...m, format_version: 2 })), /a format that this version does/],
  ];
  const data = join(temporaryFolder(), 'data');
  for (const [name, path, pattern] of table) {
    assert.match(await rejected(() => verifyBackup(path)), pattern, name);
    const message = await rejected(() => restoreBackup(filesIn(data), path, false));
    assert.match(message, pattern, name);
    assert.ok(message.startsWith(`${path} is not a usable backup: `), name);
  }
  const message = await rejected(() => restoreBackup(filesIn(data), editManifest(file, newer), false));
  assert.match(message, /made by a newer Hostkeep: this one does not know the migrations kernel\/9999-later\.sql$/);
  assert.not.ok(existsSync(data), 'nothing was created');
  const { code, stderr } = await hostkeep(data, ['backup', 'verify', cut(100)]);
  assert.is(code, 1);
  assert.match(stderr, /^hostkeep: \S+ is not a usable backup: the file is cut off\n$/);
});

test('restore replaces a store only with --force, and never while a server runs', async () => {
  const { data, file } = await backedUp();
  const node = await NodeProcess.start(data);
  const served = await hostkeep(data, ['restore', '--force', file]);
  assert.is(served.code, 1);
  assert.match(served.stderr, new RegExp(`process ${node.pid} already serves the data folder`));
  const token = await node.login('ann');
  await node.end('SIGKILL'); // the write-ahead log stays behind, and must not be taken for that of the new store
  const before = readFileSync(join(data, 'keys.json'), 'utf8');
  const kept = await hostkeep(data, ['restore', file]);
  assert.is(kept.code, 1);
  assert.match(kept.stderr, /already holds a store; restore into an empty folder, or replace the store with --force/);
  const { code, stdout } = await hostkeep(data, ['restore', '--force', '--json', file]);
  assert.is(code, 0);
  const { replaced } = JSON.parse(stdout) as { replaced: string };
  assert.is(readFileSync(join(replaced, 'keys.json'), 'utf8'), before);
  assert.is(statSync(replaced).mode & 0o777, 0o700);
  assert.ok(existsSync(join(replaced, 'hostkeep.db-wal')));
  const again = await NodeProcess.start(data);
  assert.is((await again.ask('/api/domains', { token })).status, 401, 'the session is newer than the backup');
  await again.login('ann');
  await again.end();
});

test('restore needs no --force over the store of a fresh installation', async () => {
  const { file } = await backedUp();
  const data = temporaryFolder();
  const fresh = await NodeProcess.start(data);
  await fresh.end();
  assert.ok(existsSync(join(data, 'hostkeep.db')));
  const { code, stdout, stderr } = await hostkeep(data, ['restore', '--json', file]);
  assert.is(code, 0, stderr);
  assert.ok(existsSync(join((JSON.parse(stdout) as { replaced: string }).replaced, 'hostkeep.db')));
  assert.match((await hostkeep(data, ['restore', file])).stderr, /already holds a store/);
});

test('--keep removes the oldest backups of a folder, and nothing else', async () => {
  const { data } = await backedUp();
  const folder = temporaryFolder();
  const old = ['20250101T000000Z', '20250102T000000Z', '20250103T000000Z'].map((time) => `hostkeep-${time}.tar`);
  const others = ['hostkeep-mine.tar', 'notes.txt', 'hostkeep-20240101T000000Z.tar.gz'];
  for (const name of [...old, ...others]) writeFileSync(join(folder, name), '');
  mkdirSync(join(folder, 'hostkeep-20200101T000000Z.tar'));
  const { code, stdout } = await hostkeep(data, ['backup', 'create', '--keep', '2', folder]);
  assert.is(code, 0);
  assert.match(stdout, /^wrote .+\nremoved .+-20250101T000000Z\.tar\nremoved .+-20250102T000000Z\.tar\n$/);
  const left = readdirSync(folder);
  assert.is(left.length, 6);
  for (const name of [...others, old[2] ?? '', 'hostkeep-20200101T000000Z.tar']) assert.ok(left.includes(name), name);
  for (const keep of ['0', '-1', 'all', '1.5'])
    assert.is((await hostkeep(data, ['backup', 'create', '--keep', keep, folder])).code, 2, keep);
  const named = await hostkeep(data, ['backup', 'create', '--keep', '2', join(folder, 'mine')]);
  assert.is(named.code, 1);
  assert.match(named.stderr, /--keep needs a folder/);
  assert.equal(readdirSync(folder), left);
});

test('backups default to the data folder; without a store there are none', async () => {
  const { data } = await backedUp();
  assert.is((await hostkeep(data, ['backup', 'create'])).code, 0);
  const [name = ''] = readdirSync(join(data, 'backups'));
  assert.match(name, /^hostkeep-\d{8}T\d{6}Z\.tar$/);
  assert.is(statSync(join(data, 'backups')).mode & 0o777, 0o700);
  verifyBackup(join(data, 'backups', name));
  const empty = temporaryFolder();
  const { code, stderr } = await hostkeep(empty, ['backup', 'create']);
  assert.is(code, 1);
  assert.match(stderr, /^hostkeep: there is no store in /);
  assert.equal(readdirSync(empty), []);
  assert.match(
    (await hostkeep(data, ['backup', 'create', '/nonexistent/x.tar'])).stderr,
    /\/nonexistent does not exist/,
  );
  writeFileSync(join(data, 'keys.json'), '{}');
  assert.match((await hostkeep(data, ['backup', 'create', join(data, 'x')])).stderr, /keys\.json is damaged/);
  assert.not.ok(existsSync(join(data, 'x')));
});

/** A data folder whose store has many rows. */
async function large(): Promise<{ data: string; store: Store }> {
  const data = temporaryFolder();
  mkdirSync(join(data, 'migrations'));
  writeFileSync(join(data, 'migrations/0001-things.sql'), 'create table things (name text not null unique) strict;');
  writeFileSync(join(data, 'keys.json'), '{}', { mode: 0o600 });
  await (await SqliteEngine.open(join(data, 'node.db'))).close();
  const store = await SqliteEngine.open(join(data, 'hostkeep.db'));
  await migrate(store, 'test', join(data, 'migrations'));
  await store.write(async (tx) => {
    for (let i = 0; i < 2000; i += 1) await tx.run('insert into things (name) values (?)', `${'x'.repeat(1000)} ${i}`);
  });
  return { data, store };
}

test('a backup contains the local store', async () => {
  const data = temporaryFolder();
  const server = await TestServer.start({ data });
  await server.hostkeep.core.local.write((tx) => tx.run("insert into usage_days values ('2026-01-02', 1, 2, 3)"));
  const file = join(temporaryFolder(), 'node.tar');
  const { migrations } = await createBackup(filesIn(data), file, VERSION);
  await server.close();
  assert.ok(migrations.some(({ owner, name }) => owner === 'usage' && name.startsWith('local/0001-')));
  const other = join(temporaryFolder(), 'data');
  await restoreBackup(filesIn(other), file, false);
  const days = async (folder: string) => {
    const local = await SqliteEngine.open(join(folder, 'node.db'));
    const rows = await local.all<{ users: number }>("select users from usage_days where day = '2026-01-02'");
    await local.close();
    return rows;
  };
  assert.equal(await days(other), [{ users: 1 }]);
});

test('a backup is complete, even during writes, and never overwrites a file', async () => {
  const { data, store } = await large();
  const writers = Promise.all(
    Array.from({ length: 50 }, (_, i) => store.write((tx) => tx.run('insert into things (name) values (?)', `n${i}`))),
  );
  const folder = temporaryFolder();
  const target = join(folder, 'backup.tar');
  await createBackup(filesIn(data), target, VERSION);
  await writers;
  await store.close();
  assert.match(await rejected(() => createBackup(filesIn(data), target, VERSION)), /already exists/);
  assert.equal(readdirSync(folder), ['backup.tar']);
  const other = temporaryFolder();
  await restoreBackup(filesIn(other), target, false);
  const copy = await SqliteEngine.open(join(other, 'hostkeep.db'));
  assert.equal(await copy.get('pragma integrity_check'), { integrity_check: 'ok' });
  assert.ok(((await copy.get<{ n: number }>('select count(*) as n from things'))?.n ?? 0) >= 2000);
  await copy.close();
});

// threat leaked-secrets: a backup is closed to other users from its first byte
test('a backup is private while it is written, and leaves nothing behind when it fails', async () => {
  const { data, store } = await large();
  const folder = temporaryFolder();
  const seen = new Map<string, number>();
  const umask = process.umask(0);
  try {
    const backup = createBackup(filesIn(data), join(folder, 'copy.tar'), VERSION).then(() => seen.set('done', 0));
    while (!seen.has('done')) {
      for (const name of readdirSync(folder)) {
        const stats = statSync(join(folder, name), { throwIfNoEntry: false });
        if (stats !== undefined && stats.size > 0) seen.set(name, stats.mode & 0o777);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await backup;
  } finally {
    process.umask(umask);
  }
  seen.delete('done');
  assert.ok(seen.size > 0, 'a file was seen while it grew');
  assert.equal([...new Set(seen.values())], [0o600], [...seen.keys()].join());
  writeFileSync(join(folder, '.copy2.tar.1:1.00.tmp'), 'of a killed process');
  await store.close();
  const handle = openSync(store.place, 'r+');
  writeSync(handle, Buffer.alloc(4096 * 100, 0xee), 0, 4096 * 100, 4096 * 6);
  closeSync(handle);
  assert.match(await rejected(() => createBackup(filesIn(data), join(folder, 'copy2.tar'), VERSION)), /malformed/);
  assert.equal(readdirSync(folder), ['copy.tar']);
});
