/** Of each table with rows of accounts somebody has decided whether they leave with their account in an archive. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import { findFiles } from '../../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { pluginRows } from '../../support/plugin-rows.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('tables of archives');
const KERNEL: Readonly<Record<string, string>> = {
  removed_accounts: 'of names that are not free yet',
  account_features: 'written by the plugin account-archives',
  sessions: 'the owner logs in anew',
  api_tokens: 'bound to this installation',
  api_token_scopes: 'bound to this installation',
  events: 'a log of what happened here',
  kept_answers: 'answers of a day',
  revision_changes: 'changes that processes have yet to see',
};

/** Returns the tables of migrations that have rows of accounts, by themselves or by a table that they refer to. */
function tablesIn(sql: string): string[] {
  const all = [...sql.matchAll(/^create table (\w+) \([^\n;]*\n([^]*?)^\)/gm)].map(([, name = '', columns = '']) => ({
    name,
    columns: columns.replaceAll(/--.*$/gm, ''),
  }));
  const found = new Set<string>();
  const concerns = (columns: string) =>
    /^\s*(?:account_id|account|username) /m.test(columns) ||
    [...columns.matchAll(/references (\w+)/g)].some(([, name = '']) => name === 'accounts' || found.has(name));
  for (const { name, columns } of all) if (name !== 'accounts' && concerns(columns)) found.add(name);
  return [...found].toSorted();
}

const migrations = (folder: string): string =>
  ['', 'local']
    .map((part) => join(projectDir, folder, part))
    .filter((path) => existsSync(path))
    .flatMap((path) =>
      findFiles('*.sql', path)
        .toSorted()
        .map((file) => readFileSync(join(path, file), 'utf8')),
    )
    .join('\n');

test('rows of accounts are found in what migrations make', () => {
  const sql = `create table a (\n  account_id integer\n);\ncreate table b (\n  a_id integer references a (id)\n);
create table c (\n  id integer -- account_id\n);\n`;
  assert.equal(tablesIn(sql), ['a', 'b']);
});

test('each table with rows of accounts leaves in an archive, or has a reason why not', async () => {
  assert.equal(tablesIn(migrations('kernel/store/migrations')), Object.keys(KERNEL).toSorted());
  const rows = await pluginRows();
  const plugins = findFiles('*/index.ts', join(projectDir, 'plugins')).map((file) => file.split('/')[0] ?? '');
  for (const plugin of plugins.toSorted()) {
    const { accountTables = {} } = rows.get(plugin) ?? {};
    assert.equal(Object.keys(accountTables).toSorted(), tablesIn(migrations(`plugins/${plugin}/migrations`)), plugin);
    const isAnswered = readFileSync(join(projectDir, `plugins/${plugin}/index.ts`), 'utf8').includes('archive: () =>');
    if (Object.values(accountTables).includes('archived')) assert.ok(isAnswered, `${plugin} answers \`archive\``);
  }
});
