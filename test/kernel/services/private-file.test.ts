import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { assertPrivate, assertPrivateFolder, makePrivate } from '../../../kernel/kit/files/private-file.ts';
import { hostkeep } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NodeProcess } from '../../support/node-process.ts';
import { storesInFiles } from '../../support/postgres.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('private files');
storesInFiles();

// threat leaked-secrets: what holds secrets is closed to other users from its first byte
test("a private file is closed whatever the umask; others' files are refused", () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  const umask = process.umask(0);
  try {
    makePrivate(file);
  } finally {
    process.umask(umask);
  }
  assert.is(statSync(file).mode & 0o777, 0o600);
  makePrivate(file);
  for (const mode of [0o640, 0o620, 0o610, 0o604, 0o602, 0o601]) {
    chmodSync(file, mode);
    assert.throws(() => makePrivate(file), new RegExp(`is open to other users: run \`chmod go= ${file}\`$`));
  }
  const link = join(folder, 'link');
  symlinkSync(join(folder, 'target'), link);
  assert.throws(() => makePrivate(link), /link is not a regular file/);
  assert.not.ok(existsSync(join(folder, 'target')), 'a dangling link is not followed');
  assertPrivate(join(folder, 'nothing'));
});

test('a private folder may only be passed through; a link to it is followed', () => {
  const folder = join(temporaryFolder(), 'data');
  mkdirSync(folder);
  symlinkSync(folder, `${folder}.link`);
  for (const mode of [0o700, 0o711, 0o500]) {
    chmodSync(folder, mode);
    for (const path of [folder, `${folder}.link`]) assertPrivateFolder(path);
  }
  for (const mode of [0o777, 0o755, 0o750, 0o720, 0o702, 0o704]) {
    chmodSync(folder, mode);
    for (const path of [folder, `${folder}.link`])
      assert.throws(
        () => assertPrivateFolder(path),
        new RegExp(`is open to other users: run \`chmod go-rw ${path}\`$`),
      );
  }
});

test('what belongs to another user is refused, even if this one could read it', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  makePrivate(file);
  const { uid } = statSync(file);
  const real = process.geteuid;
  process.geteuid = () => uid + 1;
  try {
    for (const check of [() => assertPrivate(file), () => makePrivate(file), () => assertPrivateFolder(folder)])
      assert.throws(check, new RegExp(`belongs to the user id ${uid}: run Hostkeep as that user`));
  } finally {
    Object.assign(process, { geteuid: real });
  }
});

// threat leaked-secrets: a start refuses a data folder, keys or a store that others may read, write or replace
// asvs 13.3.2: secrets are readable by their owner only, which every start checks
test('a node refuses exposed data, and says what to do', async () => {
  const data = temporaryFolder();
  assert.is((await hostkeep(data, ['account', 'add', '--admin', 'root'])).code, 0);
  const refused = async (pattern: RegExp) => {
    const node = NodeProcess.spawn(data);
    assert.is(await node.ended(), 1);
    assert.match(node.output, pattern);
    for (const args of [['doctor'], ['account', 'list']]) {
      const { code, stderr } = await hostkeep(data, args);
      assert.is(code, 1, args.join(' '));
      assert.match(stderr, pattern);
    }
  };
  chmodSync(data, 0o777);
  await refused(/^hostkeep: \S+ is open to other users: run `chmod go-rw \S+`$/m);
  chmodSync(data, 0o700);
  for (const name of ['keys.json', 'hostkeep.db', 'hostkeep.db-wal', 'hostkeep.db-shm', 'node.db', 'revision']) {
    const file = join(data, name);
    const isOld = existsSync(file);
    if (!isOld) writeFileSync(file, '');
    chmodSync(file, 0o644);
    await refused(new RegExp(`^hostkeep: \\S+/${name} is open to other users: run \`chmod go= \\S+\`$`, 'm'));
    chmodSync(file, 0o600);
    if (!isOld) rmSync(file);
  }
  assert.is((await hostkeep(data, ['account', 'list'])).code, 0);
});

// threat leaked-secrets: no file of the data folder is made through a link
test('a link in the place of a data file is refused, and nothing is made behind it', async () => {
  for (const name of ['hostkeep.db', 'node.db', 'keys.json', 'revision', 'serving.lock', 'serving.pid']) {
    const data = temporaryFolder();
    const target = join(temporaryFolder(), 'target');
    symlinkSync(target, join(data, name));
    const node = NodeProcess.spawn(data);
    assert.is(await node.ended(), 1, name);
    assert.match(node.output, new RegExp(`^hostkeep: \\S+/${name} is not a regular file`, 'm'));
    assert.not.ok(existsSync(target), name);
  }
});
