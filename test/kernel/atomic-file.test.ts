import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../support/assert.ts';
import { createFileSync, removeLeftovers, replaceFile, replaceFileSync } from '../../kernel/kit/files/atomic-file.ts';
import { PROCESS_ID } from '../../kernel/kit/programs/process-id.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('atomic files');

test('a failed replacement leaves the old file and no other', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'settings.conf');
  writeFileSync(file, 'old');
  assert.throws(() => replaceFileSync(join(folder, 'settings.conf', 'below'), 'x', { mode: 0o600 }));
  const failed = await replaceFile(join(folder, 'settings.conf', 'below'), 'x', { mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => error.code,
  );
  assert.is(failed, 'ENOTDIR');
  const broken = [Buffer.from('part'), null as unknown as Uint8Array];
  assert.throws(() => replaceFileSync(file, broken, { mode: 0o600 }));
  assert.is(readFileSync(file, 'utf8'), 'old');
  assert.equal(readdirSync(folder), ['settings.conf']);
});

test('a replaced file has the given content, mode and time', async () => {
  const folder = temporaryFolder();
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  const mtime = new Date('2026-01-02T03:04:05Z');
  writeFileSync(one, 'before', { mode: 0o644 });
  await replaceFile(one, 'gr\u00fc\u00dfe', { mode: 0o600, mtime, flush: true });
  assert.is(readFileSync(one, 'utf8'), 'gr\u00fc\u00dfe');
  assert.is(statSync(one).mode & 0o777, 0o600);
  assert.equal(statSync(one).mtime, mtime);
  replaceFileSync(two, [Buffer.from('a'), Buffer.from('bc')], { mode: 0o640, flush: true });
  assert.is(readFileSync(two, 'utf8'), 'abc');
  assert.is(statSync(two).mode & 0o777, 0o640);
  assert.equal(readdirSync(folder).toSorted(), ['one', 'two']);
});

test('a file is created once', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'keys.json');
  assert.ok(createFileSync(file, 'first', { mode: 0o600 }));
  assert.not.ok(createFileSync(file, 'second', { mode: 0o600 }));
  assert.is(readFileSync(file, 'utf8'), 'first');
  assert.equal(readdirSync(folder), ['keys.json']);
});

test('leftovers of ended processes are removed, and nothing else', () => {
  const folder = temporaryFolder();
  const kept = [
    `.a.json.${PROCESS_ID}.00000000.tmp`,
    `.a.json.${2 ** 22 + 1}:1.tmp`,
    `.b.json.${2 ** 22 + 1}:1.00000000.tmp`,
    'a.json',
  ];
  for (const name of [...kept, `.a.json.${2 ** 22 + 1}:1.00000000.tmp`, `.a.json.${process.pid}:1.00000000.tmp`])
    writeFileSync(join(folder, name), '');
  removeLeftovers(folder, 'a.json');
  assert.equal(readdirSync(folder).toSorted(), kept.toSorted());
  removeLeftovers(folder);
  assert.equal(readdirSync(folder).toSorted(), kept.filter((name) => !name.startsWith('.b.json')).toSorted());
});
