/**
 * A backup: one tar file of `manifest.json`, `keys.json`, `hostkeep.db` and `node.db`, in this order. It opens with any tar
 * program. The manifest has the checksums, so that what is restored is what was saved.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '../../kernel/errors.ts';
import { temporaryBeside, removeLeftovers, writeAll } from '../../kernel/kit/files/atomic-file.ts';
import type { DataFiles } from '../../kernel/contract/command.ts';
import { copyDatabase, migrationsIn } from '../../kernel/contract/store-file.ts';
import { bytesOf, endTar, tarMembers, writeTarMember, type TarMember } from '../../kernel/kit/files/tar/tar-file.ts';

const MANIFEST = 'manifest.json';
const FORMAT = 'hostkeep-backup';
const FORMAT_VERSION = 1;
/** The files of a backup, in the order of the archive; see `DataFiles.names`. */
export const CONTENT = ['keys.json', 'hostkeep.db', 'node.db'] as const;
/** A manifest lists three files and some dozens of migrations. */
const MANIFEST_LIMIT = 1024 * 1024;

/** The manifest of a backup, its first member. */
export interface Manifest {
  readonly format: typeof FORMAT;
  readonly format_version: number;
  /** The version of Hostkeep that made the backup. */
  readonly hostkeep: string;
  readonly created_at: string;
  readonly migrations: readonly { readonly owner: string; readonly name: string; readonly sha256: string }[];
  readonly files: readonly { readonly name: string; readonly size_bytes: number; readonly sha256: string }[];
}

/** Writes a backup of a data folder, also while a server serves it. Rejects, and leaves nothing behind, if the file exists. */
export async function createBackup(files: DataFiles, target: string, version: string): Promise<Manifest> {
  if (existsSync(target)) throw new Error(`${target} already exists`);
  const { folder, names } = files;
  const source = (name: string) => join(folder, name);
  for (const each of [source(names.store), source(names.local), source(names.keys), dirname(target)])
    if (!existsSync(each)) throw new Error(`${each} does not exist`);
  removeLeftovers(dirname(target), basename(target));
  const [storeCopy, localCopy, partial] = [temporaryBeside(target), temporaryBeside(target), temporaryBeside(target)];
  try {
    // The local store first: it has nothing of an account that the copy of the store does not know.
    await copyDatabase(source(names.local), localCopy);
    await copyDatabase(source(names.store), storeCopy);
    // The keys after the store: a new signing key keeps the previous one beside it, so these fit the store's sessions.
    const sources = [
      { name: names.keys, file: source(names.keys) },
      { name: names.store, file: storeCopy },
      { name: names.local, file: localCopy },
    ];
    const manifest: Manifest = {
      format: FORMAT,
      format_version: FORMAT_VERSION,
      hostkeep: version,
      created_at: new Date().toISOString(),
      migrations: [
        ...(await migrationsIn(storeCopy)),
        ...(await migrationsIn(localCopy)).map((each) => ({ ...each, name: `local/${each.name}` })),
      ],
      files: sources.map(({ name, file }) => ({ name, size_bytes: statSync(file).size, sha256: checksumOfFile(file) })),
    };
    writeArchive(partial, manifest, sources);
    renameSync(partial, target);
    flush(dirname(target));
    return manifest;
  } finally {
    for (const each of [storeCopy, localCopy, partial]) rmSync(each, { force: true });
  }
}

/** Returns the manifest of a backup. Throws unless the file is a whole backup and has the checksums of its manifest. */
export function verifyBackup(path: string): Manifest {
  return withBackup(path, (file, manifest, members) => {
    for (const { name, sha256, member } of listed(manifest, members))
      if (checksumOf(bytesOf(file, member.offset, member.sizeBytes)) !== sha256)
        throw new Error(`${name} in it is damaged: its checksum is not that of the manifest`);
    return manifest;
  });
}

/** Writes the stores and the keys of a backup into a new folder, closed to others. Throws like `verifyBackup`. */
export function extractBackup(path: string, folder: string): Manifest {
  mkdirSync(folder, { mode: 0o700 });
  return withBackup(path, (file, manifest, members) => {
    for (const { name, sha256, member } of listed(manifest, members)) {
      const target = join(folder, name);
      copyOut(file, member, target);
      if (checksumOfFile(target) !== sha256) throw new Error(`${name} in it is damaged, or could not be written`);
    }
    flush(folder);
    return manifest;
  });
}

/** Flushes the entries of a folder to disk. */
export function flush(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function writeArchive(path: string, manifest: Manifest, sources: readonly { name: string; file: string }[]): void {
  const archive = openSync(path, 'wx', 0o600);
  try {
    const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
    writeTarMember(archive, { name: MANIFEST, sizeBytes: text.length }, [text]);
    for (const { name, file } of sources) {
      const sizeBytes = manifest.files.find((each) => each.name === name)?.size_bytes ?? 0;
      withFile(file, (source) => writeTarMember(archive, { name, sizeBytes }, bytesOf(source, 0, sizeBytes)));
    }
    endTar(archive);
    fsyncSync(archive);
  } finally {
    closeSync(archive);
  }
}

function withBackup<T>(path: string, work: (file: number, manifest: Manifest, members: TarMember[]) => T): T {
  return withFile(path, (file) => {
    try {
      const members = tarMembers(file);
      const first = members.next().value as TarMember | undefined;
      if (first?.name !== MANIFEST || first.sizeBytes > MANIFEST_LIMIT) throw new Error('it has no manifest');
      const manifest = JSON.parse(
        Buffer.concat([...bytesOf(file, first.offset, first.sizeBytes)]).toString(),
      ) as Manifest;
      if (manifest.format !== FORMAT) throw new Error('its manifest is that of another program');
      if (manifest.format_version > FORMAT_VERSION)
        throw new Error(`Hostkeep ${manifest.hostkeep} made it in a format that this version does not know`);
      return work(file, manifest, [...members]);
    } catch (error) {
      throw new Error(`${path} is not a usable backup: ${errorMessage(error)}`, { cause: error });
    }
  });
}

/** The files of the manifest with their places in the archive. Throws unless they are exactly those of a backup. */
function listed({ files }: Manifest, members: readonly TarMember[]) {
  const names = files.map(({ name }) => name).join();
  if (names !== CONTENT.join() || members.map(({ name }) => name).join() !== names)
    throw new Error(`it must hold ${MANIFEST}, ${CONTENT.join(', ')}, and nothing else`);
  return files.map(({ name, sha256, size_bytes }) => {
    const member = members.find((each) => each.name === name);
    if (member?.sizeBytes !== size_bytes)
      throw new Error(`${name} in it is damaged: its size is not that of the manifest`);
    return { name, sha256, member };
  });
}

function copyOut(file: number, { offset, sizeBytes }: TarMember, path: string): void {
  const target = openSync(path, 'wx', 0o600);
  try {
    for (const chunk of bytesOf(file, offset, sizeBytes)) writeAll(target, chunk);
    fsyncSync(target);
  } finally {
    closeSync(target);
  }
}

function withFile<T>(path: string, work: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

const checksumOfFile = (path: string): string =>
  withFile(path, (file) => checksumOf(bytesOf(file, 0, statSync(path).size)));

function checksumOf(chunks: Iterable<Buffer>): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
