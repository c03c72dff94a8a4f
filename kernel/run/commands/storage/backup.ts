import type { Command } from 'commander';
import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { assertPrivateData, assertStoreExists } from '../../core.ts';
import { VERSION } from '../../../kit/files/project-dir.ts';
import { Keyring } from '../../../identity/gate/keyring.ts';
import { formatSize, timestamp } from '../../../kit/format.ts';
import { createBackup, verifyBackup, type Manifest } from '../../../store/backup/backup-file.ts';
import { restoreBackup } from '../../../store/backup/restore.ts';
import type { Config } from '../../../config/configuration.ts';
import { placeOf } from '../../../store/postgres/addresses.ts';
import { configOf, countOf, print, type GlobalOptions } from '../../command-context.ts';

type Options = GlobalOptions & { readonly json?: boolean };

/** Names of backups that were made without naming a file: only these are ever removed. */
const BACKUP_NAME = /^hostkeep-\d{8}T\d{6}Z\.tar$/;

/** `hostkeep backup create | verify`, and `hostkeep restore`. */
export function addBackupCommands(program: Command): void {
  const backup = program.command('backup').description('back up the store and the keys');
  backup
    .command('create [target]')
    .description(
      'write one file with the store and the keys, also while a server runs; target is a file or an existing folder, the folder backups in the data folder unless given',
    )
    .option('--keep <number>', 'keep this many of the backups in the folder, and remove the oldest others', countOf)
    .option('--json', 'print JSON')
    .action(create);
  backup
    .command('verify <file>')
    .description('check that a backup is whole and undamaged')
    .option('--json', 'print JSON')
    .action(verify);
  program
    .command('restore <file>')
    .description('put the store and the keys of a backup into the data folder; stop the server first')
    .option('--force', 'replace the store in the data folder, which is moved aside')
    .option('--json', 'print JSON')
    .action(restore);
}

async function create(given: string | undefined, _: Options, command: Command): Promise<void> {
  const { json, keep, ...options } = command.optsWithGlobals<Options & { keep?: number }>();
  const { data, store } = configOf(options);
  assertStoreExists(data);
  assertOwnFile(store);
  assertPrivateData(data);
  if (Keyring.exist(data)) Keyring.open(data); // throws if they are damaged: a backup would be of no use
  const file = targetOf(given, data);
  if (keep !== undefined && !BACKUP_NAME.test(basename(file)))
    throw new Error('--keep needs a folder, because it removes only backups that it has named itself');
  const manifest = await createBackup(data, file, VERSION);
  const removed = keep === undefined ? [] : removeOldest(dirname(file), keep);
  const lines = [`wrote ${file}, ${formatSize(statSync(file).size)}`, ...removed.map((each) => `removed ${each}`)];
  print(json, { file, ...manifest, removed }, lines.join('\n'));
}

/** Throws where the store is not in the data folder: a backup without it would restore to nothing. */
function assertOwnFile({ url }: Config['store']): void {
  if (url !== '')
    throw new Error(
      `the store is at ${placeOf(url)}: back it up and restore it with the tools of PostgreSQL, and keep keys.json with what they make`,
    );
}

async function verify(given: string, _: Options, command: Command): Promise<void> {
  const file = resolve(given);
  const manifest = verifyBackup(file);
  print(command.optsWithGlobals<Options>().json, { file, ...manifest }, `${file} is whole: ${summary(manifest)}`);
}

async function restore(given: string, _: Options, command: Command): Promise<void> {
  const { json, force, ...options } = command.optsWithGlobals<Options & { force?: boolean }>();
  const { data, store } = configOf(options);
  assertOwnFile(store);
  const { manifest, replaced } = await restoreBackup(resolve(given), data, force === true);
  const lines = [
    `restored ${data}: ${summary(manifest)}`,
    ...(replaced === undefined ? [] : [`what was there is in ${replaced}; remove it when it is no longer needed`]),
  ];
  print(json, { data, ...manifest, replaced: replaced ?? null }, lines.join('\n'));
}

function targetOf(given: string | undefined, data: string): string {
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
