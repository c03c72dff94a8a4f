/** What SECURITY.md says is tested is: every file and every test that it names is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { projectDir } from '../kernel/system/project-dir.ts';
import { testSuite } from './support/suite.ts';

const test = testSuite('security');
const text = readFileSync(join(projectDir, 'SECURITY.md'), 'utf8').replaceAll('\n', ' ');

interface Reference {
  readonly file: string;
  readonly name: string;
}

/** `file` "test", "another"; nothing else in the page has that form. */
function references(): Reference[] {
  return [...text.matchAll(/`([\w/-]+)`((?: "[^"]+",?)+)/g)].flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ file, name })),
  );
}

test('every test that the page names is there', () => {
  const all = references();
  assert.ok(all.length > 100, `${all.length} were found`);
  const missing = all.filter(({ file, name }) => {
    const path = join(projectDir, 'test', `${file}.test.ts`);
    return !existsSync(path) || ![`'${name}'`, `"${name}"`].some((title) => readFileSync(path, 'utf8').includes(title));
  });
  assert.equal(missing, []);
});

test('every row of its tables names a test, or says that there is none', () => {
  const rows = readFileSync(join(projectDir, 'SECURITY.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
  const bare = rows.filter(
    (row) => row.split(' | ').length === 3 && row.endsWith('| |') && !/\*\*(no|in part)\*\*|default/.test(row),
  );
  assert.ok(rows.length > 80);
  assert.equal(bare, []);
});
