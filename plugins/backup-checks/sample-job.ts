import { createHash, randomInt } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { OWN_FOLDER } from '../../kernel/kit/files/client-path.ts';
import { removeFromOwnFolder } from '../../kernel/kit/files/own-folder.ts';
import { Folder } from '../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { AGAIN, resticFail } from '../../kernel/kit/restic/errors.ts';
import {
  readNodes,
  restoreInto,
  UNUSABLE,
  type SnapshotNode,
  type SnapshotPath,
} from '../../kernel/kit/restic/snapshot.ts';

/** The files by which backups were checked. */
export interface CheckedBackups {
  /** Files that were restored. */
  readonly restored: number;
  /** Of these, those that were compared with the same file in its place. */
  readonly compared: number;
}
interface SampleInput extends Pick<SnapshotPath, 'setup' | 'snapshot'> {
  /** The name of its work. */
  readonly work: string;
  /** The most files that are restored, and the most bytes of all of them. */
  readonly files: number;
  readonly bytes: number;
}

/**
 * Restores files of a snapshot that are chosen at random into a folder that nobody looks at, and compares them with what the snapshot
 * says, and with those in their place that have not changed since. Errors: 503 `backup_unreadable`, those of `runRestic`.
 */
export default async function sample(input: SampleInput, context: JobContext): Promise<CheckedBackups> {
  const { root } = context;
  const chosen = await choose(input, context);
  if (chosen.length === 0) return { restored: 0, compared: 0 };
  const path = [OWN_FOLDER, 'work', input.work];
  const folder = await Folder.make(root, path);
  try {
    await (await Folder.make(root, [...path, 'restored'])).close();
    await restoreInto(folder, input, chosen.map(componentsIn), context);
    let compared = 0;
    for (const node of chosen) {
      const [restored, there] = [
        await read(() => Folder.open(root, [...path, 'restored', ...componentsIn(node).slice(0, -1)]), node),
        await read(() => Folder.open(root, componentsIn(node).slice(0, -1)), node),
      ];
      if (restored === undefined || restored.size !== node.size)
        throw resticFail.backup_unreadable(
          `the restored file ${node.path} has ${restored?.size ?? 0} bytes, and not ${Number(node.size)}`,
          AGAIN,
        );
      if (there?.size !== restored.size || there.changedAt !== Date.parse(String(node.mtime))) continue;
      if (there.hash !== restored.hash)
        throw resticFail.backup_unreadable(
          `the restored file ${node.path} has another content than the one in its place`,
          AGAIN,
        );
      compared += 1;
    }
    return { restored: chosen.length, compared };
  } finally {
    await folder.close();
    await removeFromOwnFolder(root, 'work', [input.work]);
  }
}

const componentsIn = ({ path }: SnapshotNode): string[] => path.split('/').filter((name) => name !== '');

/** Resolves with files that are as likely as all others of a size that may be restored. */
async function choose({ files, bytes, ...at }: SampleInput, context: JobContext): Promise<SnapshotNode[]> {
  const chosen: SnapshotNode[] = [];
  let seen = 0;
  await readNodes({ ...at, components: [] }, context, ['--recursive'], (node) => {
    if (node.type !== 'file' || UNUSABLE.test(node.path) || Number(node.size ?? 0) > bytes) return;
    seen += 1;
    const place = chosen.length < files ? chosen.length : randomInt(seen);
    if (place < files) chosen[place] = { ...node, size: Number(node.size ?? 0) }; // restic leaves out a size of 0
  });
  let left = bytes;
  return chosen.filter(({ size }) => Number(size) <= left && (left -= Number(size)) >= 0);
}

/** Resolves with what a file is; `undefined` if it cannot be read. */
async function read(open: () => Promise<Folder>, { name }: SnapshotNode) {
  let [folder, file]: [Folder | undefined, FileHandle | undefined] = [undefined, undefined];
  try {
    folder = await open();
    file = await folder.file(name);
    const { size, mtimeNs } = await file.stat({ bigint: true });
    const hash = createHash('sha256');
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    const isSame = (await file.stat({ bigint: true })).mtimeNs === mtimeNs;
    // cut off as `Date.parse` does, where `Stats.mtime` rounds
    return { size: Number(size), changedAt: isSame ? Number(mtimeNs / 1_000_000n) : NaN, hash: hash.digest('hex') };
  } catch {
    return undefined; // it was removed, or closed to its owner, and there is nothing to compare
  } finally {
    await file?.close();
    await folder?.close();
  }
}
