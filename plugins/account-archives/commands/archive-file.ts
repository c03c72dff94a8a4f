/**
 * The archive of an account: a tar file of its files, a dump of each database, and at last `account.json`, which has the checksums of all
 * others. It opens with any tar program.
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { removeLeftovers, temporaryBeside, writeAll } from '../../../kernel/kit/files/atomic-file.ts';
import {
  beginTarMember,
  bytesOf,
  endTar,
  endTarMember,
  tarMembers,
  writeTarMember,
  type TarMember,
} from '../../../kernel/kit/files/tar/tar-file.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import { fail } from '../errors.ts';
import { FORMAT, FORMAT_VERSION, type Manifest } from './manifest.ts';

const MANIFEST = 'account.json';
/** Certificates of some thousand domains. */
const MANIFEST_BYTES = 128 << 20;
const MEMBERS = 20_001;
const BLOCK = 512;

/** Writes an archive under a temporary name, which it has until it is complete. The caller closes it. */
export class ArchiveWriter {
  readonly #path: string;
  readonly #beside: string;
  readonly #file: number;
  readonly #members: Manifest['members'] = [];
  #offset = 0;
  /** Why something could not be written. */
  fault: unknown;
  #begun: { readonly name: string; readonly hash: Hash; sizeBytes: number } | undefined;

  /** Throws if the file exists, or cannot be written. */
  constructor(path: string) {
    if (existsSync(path)) throw new Error(`${path} already exists`);
    removeLeftovers(dirname(path), basename(path));
    this.#path = path;
    this.#beside = temporaryBeside(path);
    this.#file = openSync(this.#beside, 'wx', 0o600);
  }

  /** Writes a part of a member, which begins with its first part; one after another. */
  write(name: string, bytes: Uint8Array): void {
    try {
      if (this.#begun === undefined) {
        this.#begun = { name, hash: createHash('sha256'), sizeBytes: 0 };
        beginTarMember(this.#file);
        this.#offset += BLOCK;
      }
      writeAll(this.#file, bytes);
    } catch (error) {
      this.fault ??= error;
      throw error;
    }
    this.#begun.hash.update(bytes);
    this.#begun.sizeBytes += bytes.length;
  }

  /** Ends the member that is being written, if one is. */
  end(): void {
    if (this.#begun === undefined || this.fault !== undefined) return;
    const { name, hash, sizeBytes } = this.#begun;
    this.#begun = undefined;
    endTarMember(this.#file, { name, sizeBytes, offset: this.#offset });
    this.#offset += Math.ceil(sizeBytes / BLOCK) * BLOCK;
    this.#members.push({ name, size_bytes: sizeBytes, sha256: hash.digest('hex') });
  }

  /** Completes the archive. Returns its size in bytes. */
  finish(described: Omit<Manifest, 'format' | 'format_version' | 'created_at' | 'members'>): number {
    const head = { format: FORMAT, format_version: FORMAT_VERSION, created_at: new Date().toISOString() } as const;
    const manifest: Manifest = { ...head, ...described, members: this.#members };
    const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
    writeTarMember(this.#file, { name: MANIFEST, sizeBytes: text.length }, [text]);
    endTar(this.#file);
    fsyncSync(this.#file);
    if (existsSync(this.#path)) throw new Error(`${this.#path} already exists`);
    renameSync(this.#beside, this.#path);
    const folder = openSync(dirname(this.#path), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
    return fstatSync(this.#file).size;
  }

  /** Removes what is not complete. */
  close(): void {
    closeSync(this.#file);
    rmSync(this.#beside, { force: true });
  }
}

/** An open archive whose members have the checksums of its manifest. */
export interface Archive {
  readonly manifest: Manifest;
  /** Returns a member in pieces, and its size; `undefined` if there is none of the name. */
  member(name: string): { readonly sizeBytes: number; readonly chunks: Generator<Buffer> } | undefined;
}

/** Calls back with an archive; `checked` checks the manifest. Errors: 422 `account_archive_refused` for a damaged one. */
export async function withArchive<T>(
  path: string,
  checked: (manifest: Record<string, unknown>) => Manifest,
  work: (archive: Archive) => Promise<T>,
): Promise<T> {
  const file = openSync(path, 'r');
  try {
    return await work(openArchive(file, path, checked));
  } finally {
    closeSync(file);
  }
}

function openArchive(file: number, path: string, checked: Parameters<typeof withArchive>[1]): Archive {
  try {
    const all: TarMember[] = [];
    for (const member of tarMembers(file)) if (all.push(member) > MEMBERS) throw new Error('it has too many members');
    const last = all.pop();
    if (last?.name !== MANIFEST || last.sizeBytes > MANIFEST_BYTES) throw new Error('it has no manifest at its end');
    const text = Buffer.concat([...bytesOf(file, last.offset, last.sizeBytes)]).toString();
    const manifest = checked(readVersion(JSON.parse(text)));
    assertWhole(file, all, manifest);
    const members = new Map(all.map((member) => [member.name, member]));
    return {
      manifest,
      member: (name) => {
        const { sizeBytes, offset } = members.get(name) ?? {};
        if (sizeBytes === undefined || offset === undefined) return undefined;
        return { sizeBytes, chunks: bytesOf(file, offset, sizeBytes) };
      },
    };
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    throw fail.account_archive_refused(`${path} is no usable archive: ${errorMessage(error)}`, { cause: error });
  }
}

/** Throws for the manifest of another program, or of a newer version. */
function readVersion(manifest: unknown): Record<string, unknown> {
  const given = (manifest ?? {}) as Record<string, unknown>;
  if (given['format'] !== FORMAT) throw new Error('its manifest is that of another program');
  if (Number(given['format_version']) > FORMAT_VERSION)
    throw new Error(`Hostkeep ${String(given['hostkeep'])} made it in a format that this version does not know`);
  return given;
}

function assertWhole(file: number, members: readonly TarMember[], manifest: Manifest): void {
  const listed = manifest.members.map(({ name, size_bytes }) => `${name} ${size_bytes}`).join();
  const found = members.map(({ name, sizeBytes }) => `${name} ${sizeBytes}`);
  if (found.join() !== listed || new Set(members.map(({ name }) => name)).size < members.length)
    throw new Error('it does not hold what its manifest says');
  for (const [i, { name, offset, sizeBytes }] of members.entries()) {
    const hash = createHash('sha256');
    for (const chunk of bytesOf(file, offset, sizeBytes)) hash.update(chunk);
    if (hash.digest('hex') !== manifest.members[i]?.sha256)
      throw new Error(`${name} in it is damaged: its checksum is not that of the manifest`);
  }
}
