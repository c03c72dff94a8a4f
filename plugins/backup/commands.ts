import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { defineCommands, parseCount, type Command } from '../../kernel/contract/command.ts';
import type { DataFiles } from '../../kernel/contract/command.ts';
import { VERSION } from '../../kernel/kit/files/project-dir.ts';
import { formatSize, timestamp } from '../../kernel/kit/format.ts';
import { createBackup, verifyBackup, type Manifest } from './backup-file.ts';
import { copyCommand } from './copy-command.ts';
import { restoreBackup } from './restore.ts';

/** Names of backups that were made without naming a file: only these are ever removed. */
const BACKUP_NAME = /^hostkeep-\d{8}T\d{6}Z\.tar$/;

const create: Command = {
  usage: 'create [target]',
  summary:
    'write one file with the store and the keys, also while a server runs; target is a file or an existing folder, the folder backups in the data folder unless given',
  options: [
    {
      flags: '--keep <number>',
      summary: 'keep this many of the backups in the folder, and remove the oldest others',
      parse: parseCount,
    },
  ],
  async run({ config, files }, [given], { keep }) {
    files.assertSound();
    assertOwnFile(config);
    const file = targetFile(given, files.folder);
    if (keep !== undefined && !BACKUP_NAME.test(basename(file)))
      throw new Error('--keep needs a folder, because it removes only backups that it has named itself');
    const manifest = await createBackup(files, file, VERSION);
    const removed = keep === undefined ? [] : removeOldest(dirname(file), Number(keep));
    const lines = [`wrote ${file}, ${formatSize(statSync(file).size)}`, ...removed.map((each) => `removed ${each}`)];
    return { value: { file, ...manifest, removed }, text: lines.join('\n') };
  },
};

const verify: Command = {
  usage: 'verify <file>',
  summary: 'check that a backup is whole and undamaged',
  async run(_, [given = '']) {
    const file = resolve(given);
    const manifest = verifyBackup(file);
    return { value: { file, ...manifest }, text: `${file} is whole: ${summary(manifest)}` };
  },
};

const restore: Command = {
  usage: 'restore <file>',
  summary: 'put the store and the keys of a backup into the data folder; stop the server first',
  options: [{ flags: '--force', summary: 'replace the store in the data folder, which is moved aside' }],
  async run({ config, files }, [given = ''], { force }) {
    assertOwnFile(config);
    const { manifest, replaced } = await restoreBackup(files, resolve(given), force === true);
    const lines = [
      `restored ${files.folder}: ${summary(manifest)}`,
      ...(replaced === undefined ? [] : [`what was there is in ${replaced}; remove it when it is no longer needed`]),
    ];
    return { value: { data: files.folder, ...manifest, replaced: replaced ?? null }, text: lines.join('\n') };
  },
};

export default defineCommands(
  { name: 'backup', summary: 'back up the store and the keys', commands: [create, verify] },
  restore,
  { name: 'store', summary: 'copy the store to another database', commands: [copyCommand] },
);

/** Throws where the store is not in the data folder: a backup without it would restore to nothing. */
function assertOwnFile({ store: { url } }: { readonly store: { readonly url: string } }): void {
  if (url !== '')
    throw new Error(
      `the store is at ${url.replace(/:[^@/?]*@/, '@').replace(/\?.*$/, '')}: back it up and restore it with the tools of PostgreSQL, and keep keys.json with what they make`,
    );
}

function targetFile(given: string | undefined, data: DataFiles['folder']): string {
  const target = resolve(given ?? join(data, 'backups'));
  if (given === undefined) mkdirSync(target, { recursive: true, mode: 0o700 });
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(target, `hostkeep-${timestamp(new Date())}.tar`) : target;
}

/** Removes all backups in a folder but the newest, as their names say. Returns what it removed. */
function removeOldest(folder: string, keep: number): string[] {
  const backups = readdirSync(folder)
    .filter((name) => BACKUP_NAME.test(name))
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile())
    .toSorted();
  const oldest = backups.slice(0, Math.max(0, backups.length - keep));
  for (const path of oldest) rmSync(path);
  return oldest;
}

function summary({ hostkeep, created_at, files }: Manifest): string {
  const size = formatSize(files.reduce((sum, { size_bytes }) => sum + size_bytes, 0));
  return `made by Hostkeep ${hostkeep} at ${created_at}, ${size}`;
}
