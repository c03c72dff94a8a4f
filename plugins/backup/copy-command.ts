import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command, CommandContext, CommandOutput } from '../../kernel/contract/command.ts';
import type { Store } from '../../kernel/store/store.ts';
import { copyStore } from './copy-store.ts';

/** `hostkeep store copy`. */
export const copyCommand: Command = {
  usage: 'copy',
  summary: 'copy the store to an empty one, and compare both; first stop all servers that use either',
  options: [
    {
      flags: '--to <where>',
      summary: 'postgres://user@host/name, or the path of a new file for SQLite',
      isRequired: true,
    },
    { flags: '--password-file <file>', summary: 'file that holds the password of the database user' },
  ],
  run: ({ config: { store: settings }, files }, _, { to, passwordFile }) => {
    files.assertSound();
    return files.whileStopped(async () => {
      const password = passwordFile === undefined ? '' : readFileSync(String(passwordFile), 'utf8').trimEnd();
      return copy(files, settings, String(to), password);
    });
  },
};

async function copy(
  files: CommandContext['files'],
  settings: CommandContext['config']['store'],
  to: string,
  password: string,
): Promise<CommandOutput> {
  const opened: Store[] = [];
  try {
    const source = await files.open(settings);
    opened.push(source);
    const isUrl = /^postgres(ql)?:\/\//.test(to);
    const target = await files.open({ ...settings, url: isUrl ? to : '', password }, resolve(to));
    opened.push(target);
    const tables = await copyStore(files, source, target);
    const rows = tables.reduce((sum, each) => sum + each.rows, 0);
    const next = isUrl ? 'set store.url, and store.password_file where it needs one' : 'remove store.url';
    return {
      value: { from: source.place, to: target.place, tables },
      text: `copied ${rows} rows in ${tables.length} tables to ${target.place}; ${next}, then start the server`,
    };
  } finally {
    for (const each of opened.toReversed()) await each.close();
  }
}
