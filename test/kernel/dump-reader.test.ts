/** Dumps, in pieces of every size. */
import * as assert from '../support/assert.ts';
import { DumpReader } from '../../kernel/kit/databases/postgresql/dump-reader.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('postgresql, dumps');

async function* pieces(text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

/** Returns statements with their lines, and the rows after those that end with `stdin`. */
async function readAll(text: string, bytes: number): Promise<string[]> {
  const reader = new DumpReader(pieces(text, bytes));
  const all: string[] = [];
  for (let next = await reader.next(); next !== undefined; next = await reader.next()) {
    all.push(`${next.line}: ${next.text}`);
    if (!next.text.endsWith('stdin')) continue;
    const rows: Buffer[] = [];
    for await (const chunk of reader.rows()) rows.push(chunk);
    all.push(Buffer.concat(rows).toString());
  }
  return all;
}

const SIZES = [1, 2, 3, 7, 64, 1 << 16];
const reads = async (text: string, expected: readonly string[]) => {
  for (const bytes of SIZES) assert.equal(await readAll(text, bytes), expected, `in pieces of ${bytes}`);
};

test('a semicolon ends a statement where it is no part of something else', async () => {
  await reads("select 1;\n\nselect ';''; -- ', E'\\'; a''\\';' ;select \"a;\"\"b;\";\n", [
    '1: select 1',
    `3: select ';''; -- ', E'\\'; a''\\';' `,
    '3: select "a;""b;"',
  ]);
  await reads('-- a; b\n/* c; /* d; */ e; */ select 1 -- f; \n;;\n/* */\nselect 2', [
    '2: /* c; /* d; */ e; */ select 1 -- f; \n',
    '5: select 2',
  ]);
  await reads('do $$ begin; $a$ ; $$; do $ä$ ; $$ ; $ä$; select $1; select a$$b;', [
    '1: do $$ begin; $a$ ; $$',
    '1: do $ä$ ; $$ ; $ä$',
    '1: select $1',
    '1: select a$$b',
  ]);
  await reads('create rule r as on insert to t do (select 1; select 2);\nselect 3;', [
    '1: create rule r as on insert to t do (select 1; select 2)',
    '2: select 3',
  ]);
  const body = 'create function f() returns int begin atomic select 1; select case when true then 1 end; end';
  await reads(`${body};\nbegin;commit;`, [`1: ${body}`, '2: begin', '2: commit']);
  await reads("select 'never ends;", ["1: select 'never ends;"]);
  await reads('', []);
  await reads(' \n -- nothing', []);
});

test('rows end with a line of their own', async () => {
  await reads('copy t from stdin;\n1\tä\n\\.x\\.\n2\t\\\\.\n\\.\nselect 1;\n', [
    '1: copy t from stdin',
    '1\tä\n\\.x\\.\n2\t\\\\.\n',
    '6: select 1',
  ]);
  await reads('copy t from stdin;\r\n\\.\r\ncopy u from stdin; -- now\n1\n\\.', [
    '1: copy t from stdin',
    '',
    '3: copy u from stdin',
    '1\n',
  ]);
  for (const bytes of SIZES)
    for (const text of ['copy t from stdin;\n1\n2', 'copy t from stdin;']) {
      const error = await readAll(text, bytes).catch(String);
      assert.match(String(error), /line \d: the rows/);
    }
});

test('commands of psql are refused, and its guards passed over', async () => {
  await reads('\\restrict abc\nselect 1;\n\\unrestrict abc\n', ['2: select 1']);
  for (const command of ['\\! id', '\\i x', '\\copy t from x', 'select 1 \\gexec', '\\connect other', '\\restricted'])
    for (const bytes of SIZES)
      assert.match(
        String(await readAll(`select 1;\n${command}\n`, bytes).catch(String)),
        /^Error: line 2: commands of psql/,
      );
});

test('a long statement takes a time that is proportional to its length', async () => {
  const text = `insert into t values ('${"a;''b".repeat(2_000_000)}');select 1;`;
  assert.is((await readAll(text, 1 << 14)).length, 2);
});
