import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { assertStoreExists } from '../../core.ts';
import { copyStore } from '../../../store/copy-store.ts';
import { openStore } from '../../../store/open-store.ts';
import type { Store } from '../../../store/store.ts';
import { ServingLock } from '../../../store/serving-lock.ts';
import { configOf, print, type GlobalOptions } from '../../command-context.ts';

type Options = GlobalOptions & { readonly json?: boolean; readonly to: string; readonly passwordFile?: string };

/** `hostkeep store copy`. */
export function addStoreCommands(program: Command): void {
  program
    .command('store')
    .description('copy the store to another database')
    .command('copy')
    .description('copy the store to an empty one, and compare both; first stop all servers that use either')
    .requiredOption('--to <where>', 'postgres://user@host/name, or the path of a new file for SQLite')
    .option('--password-file <file>', 'file that holds the password of the database user')
    .option('--json', 'print JSON')
    .action(copy);
}

async function copy(_: Options, command: Command): Promise<void> {
  const { json, to, passwordFile, ...options } = command.optsWithGlobals<Options>();
  const config = configOf(options);
  assertStoreExists(config.data);
  const lock = await ServingLock.acquire(config.data);
  const opened: Store[] = [];
  try {
    const source = await openStore(config.data, config.store);
    opened.push(source);
    const password = passwordFile === undefined ? '' : readFileSync(passwordFile, 'utf8').trimEnd();
    const isUrl = /^postgres(ql)?:\/\//.test(to);
    const settings = { ...config.store, url: isUrl ? to : '', password };
    const target = await openStore(config.data, settings, { file: resolve(to) });
    opened.push(target);
    const tables = await copyStore(source, target);
    const rows = tables.reduce((sum, each) => sum + each.rows, 0);
    const next = isUrl ? 'set store.url, and store.password_file where it needs one' : 'remove store.url';
    const text = `copied ${rows} rows in ${tables.length} tables to ${target.place}; ${next}, then start the server`;
    print(json, { from: source.place, to: target.place, tables }, text);
  } finally {
    for (const each of opened.toReversed()) await each.close();
    await lock.release();
  }
}
