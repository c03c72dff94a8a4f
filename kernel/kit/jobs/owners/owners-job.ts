/**
 * Gives an account what root owns in its folder. The account may be running meanwhile: each folder is opened from its parent's
 * descriptor without following links, and what is given is looked at and given through one descriptor of it, so that
 * nothing can take its place in between.
 */
import { chownSync, fchownSync, fstatSync, lstatSync, readFileSync, type BigIntStats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fail } from '../../../errors.ts';
import { isOwnFolder } from '../../files/client-path.ts';
import { findUnsafeParent, isMissing, type FilesRoot } from '../../files/files-root.ts';
import { entryPath, Folder } from '../../files/safe-folder.ts';
import { mountSync, withEntrySync } from '../../files/safe-folder-sync.ts';
import type { JobContext, JobUser } from '../job.ts';
import type { GivenFiles, GivingRequest } from './given-files.ts';

interface Input extends GivingRequest {
  readonly root: FilesRoot;
  readonly user: JobUser | null;
}

const ROOT = 0;
const MAX_DEPTH = 100;
/** Modes with which a group, or everybody, reads and writes. */
const [GROUP_WRITES, OTHERS_WRITE] = [0o060, 0o006];
const REPORT_MS = 250;
/** 0 where everybody may link to files that are not theirs. */
const PROTECTED_LINKS = '/proc/sys/fs/protected_hardlinks';
/** The system refuses it for this one: it cannot be changed, or is on a file system that root may not read. */
const REFUSED = new Set(['EPERM', 'EACCES', 'EROFS']);

export default async function giveFiles(input: Input, { report }: JobContext): Promise<GivenFiles> {
  const { root, user, components } = input;
  const unsafe = findUnsafeParent(root);
  if (unsafe !== undefined) throw fail.files_unavailable(`customers may change ${unsafe}, which files_root is in`);
  const top = await Folder.find(root, []);
  if (top === undefined) return { given: 0, leftOut: 0 };
  try {
    const { uid } = await top.stat();
    if (uid === ROOT || (user !== null && uid !== user.uid && uid !== user.namesakeUid))
      return { given: 0, leftOut: 0, problem: `the folder of the account belongs to the user id ${uid}` };
    // a link to a file of root's looks like a file of root's once the other name of it is gone
    if (readFileSync(PROTECTED_LINKS, 'utf8').trim() === '0')
      return { given: 0, leftOut: 0, problem: 'fs.protected_hardlinks is 0, so that accounts may link to any file' };
    const giver = new Giver(uid, mountSync(top.handle.fd), input.names, report);
    const below = { path: root.path, operatorPath: `/proc/self/fd/${top.handle.fd}`, below: [] };
    const folder = await Folder.find(below, components);
    if (folder !== undefined) await giver.giveAll(folder, (name) => isOwnFolder([...components, name.toString()]));
    return giver.counted;
  } finally {
    await top.close();
  }
}

class Giver {
  readonly #owner: number;
  readonly #mount: string;
  readonly #names: number;
  readonly #report: (progress: unknown) => void;
  #given = 0;
  #leftOut = 0;
  #reportedAt = -Infinity;

  /** `mount` is that of the account's folder; no other is entered. */
  constructor(owner: number, mount: string, names: number, report: (progress: unknown) => void) {
    this.#owner = owner;
    this.#mount = mount;
    this.#names = names;
    this.#report = report;
  }

  get counted(): GivenFiles {
    return { given: this.#given, leftOut: this.#leftOut };
  }

  /** Gives a folder with all that is in it, and closes it. `isOurs` names entries that are left as they are. */
  giveAll(folder: Folder, isOurs: (name: Buffer) => boolean): Promise<void> {
    return this.#unlessRefused(() => this.#giveFolder(folder, 0, isOurs));
  }

  async #giveFolder(folder: Folder, depth: number, isOurs?: (name: Buffer) => boolean): Promise<void> {
    try {
      const { uid } = await folder.stat();
      const isForeign = uid !== this.#owner && uid !== ROOT;
      if (isForeign || depth > MAX_DEPTH || mountSync(folder.handle.fd) !== this.#mount)
        return void (this.#leftOut += 1);
      for await (const { name } of folder.scan())
        if (isOurs?.(name) !== true) await this.#unlessRefused(() => this.#giveEntry(folder, name, depth));
      if (uid === ROOT) this.#give(() => fchownSync(folder.handle.fd, this.#owner, this.#owner));
    } finally {
      await folder.close();
    }
  }

  async #giveEntry(parent: Folder, name: Buffer, depth: number): Promise<void> {
    await this.#tell();
    const stats = await parent.statEntry(name);
    if (stats.isDirectory()) return this.#giveFolder(await parent.folder(name), depth + 1);
    if (stats.uid === this.#owner) return;
    const path = entryPath(parent.handle.fd, name);
    withEntrySync(path, (descriptor) => {
      if (!this.#mayGive(path, descriptor)) this.#leftOut += 1;
      // the kernel takes bits by which a program gets the rights of its owner
      else this.#give(() => chownSync(`/proc/self/fd/${descriptor}`, this.#owner, this.#owner));
    });
  }

  /**
   * Whether a descriptor is of something that is here and nowhere else. That it has one name is seen first, and then that this is
   * the one: whoever takes the name away in between cannot put it back.
   */
  #mayGive(path: string | Buffer, descriptor: number): boolean {
    const stats = fstatSync(descriptor, { bigint: true });
    if (!isOfRootAlone(stats, this.#owner) || mountSync(descriptor) !== this.#mount) return false;
    const { ino, dev } = lstatSync(path, { bigint: true });
    return ino === stats.ino && dev === stats.dev;
  }

  #give(give: () => void): void {
    if (this.#given >= this.#names) return void (this.#leftOut += 1);
    give();
    this.#given += 1;
  }

  /** Ignores what somebody removes or replaces meanwhile, and counts what the system refuses. */
  async #unlessRefused(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (REFUSED.has((error as NodeJS.ErrnoException).code ?? '')) this.#leftOut += 1;
      else if (!isMissing(error)) throw error;
    }
  }

  async #tell(): Promise<void> {
    if (performance.now() - this.#reportedAt < REPORT_MS) return;
    this.#reportedAt = performance.now();
    this.#report({ files: this.#given, bytes: 0, leftOut: this.#leftOut });
    await setImmediate();
  }
}

/**
 * Whether only root owns something: a person with its rights has put it there. An id that no user has may be that of a container
 * of the account, which would not start without its files. Another name of a file may be one outside of the folder, and whoever
 * may read and write a file may give it one at any time; such a file needs no repair.
 */
function isOfRootAlone(stats: BigIntStats, owner: number): boolean {
  if (stats.uid !== BigInt(ROOT) || stats.nlink !== 1n) return false;
  const [mode, isOfGroup] = [Number(stats.mode), stats.gid === BigInt(owner)];
  const mayBeLinked = (mode & OTHERS_WRITE) === OTHERS_WRITE || (isOfGroup && (mode & GROUP_WRITES) === GROUP_WRITES);
  return stats.isSymbolicLink() || (stats.isFile() && !mayBeLinked);
}
