import type { Stats } from 'node:fs';
import { isOwnFolder } from '../../../kernel/kit/files/client-path.ts';
import { isMissing } from '../../../kernel/kit/files/files-root.ts';
import { entryPath, Folder } from '../../../kernel/kit/files/safe-folder.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { fail } from '../errors.ts';
import { changeMode } from './change-job.ts';
import { Tally, type TallyLimits } from './tally.ts';

interface RepairInput {
  readonly components: readonly string[];
  readonly limits: TallyLimits;
}

const MAX_DEPTH = 100;
const [PERMISSIONS, OWNERS_ALONE, OWNER_RUNS] = [0o7777, 0o077, 0o100];
const [OPEN, PLAIN] = [0o755, 0o644];

/**
 * Sets the modes of all that is in a folder to what websites need. What only its owner may read stays closed. What belongs to
 * somebody else is left out. Errors: 404 `folder_not_found`, 422 `task_too_large`.
 */
export default async function repair({ components, limits }: RepairInput, { root, report }: JobContext) {
  const [tally, folder] = [new Tally(limits, report), await Folder.find(root, components)];
  if (folder === undefined) return tally.counted;
  try {
    const isOurs = (name: Buffer) => isOwnFolder([...components, name.toString()]);
    await repairEntries(folder, tally, 0, isOurs);
    return tally.counted;
  } finally {
    await folder.close();
  }
}

async function repairEntries(folder: Folder, tally: Tally, depth: number, isOurs?: (name: Buffer) => boolean) {
  if (depth === MAX_DEPTH) throw fail.task_too_large(`folders lie deeper than ${MAX_DEPTH} in each other`);
  for await (const { name } of folder.scan())
    if (isOurs?.(name) !== true) await unlessGone(() => repairEntry(folder, name, tally, depth));
}

async function repairEntry(parent: Folder, name: Buffer, tally: Tally, depth: number): Promise<void> {
  const stats = await parent.statEntry(name);
  await tally.tell();
  if (stats.uid !== process.geteuid?.()) return void (tally.leftOut += 1);
  if (!stats.isFile() && !stats.isDirectory()) return;
  const mode = wantedMode(stats);
  if (mode !== (stats.mode & PERMISSIONS)) {
    await tally.addName(0);
    changeMode(entryPath(parent.handle.fd, name), mode);
  }
  if (!stats.isDirectory()) return;
  const folder = await parent.folder(name);
  try {
    await repairEntries(folder, tally, depth + 1);
  } finally {
    await folder.close();
  }
}

function wantedMode(stats: Stats): number {
  if (stats.isDirectory()) return OPEN;
  const isRun = (stats.mode & OWNER_RUNS) !== 0;
  if ((stats.mode & OWNERS_ALONE) === 0) return isRun ? 0o700 : 0o600;
  return isRun ? OPEN : PLAIN;
}

/** Ignores an entry that somebody removes or replaces meanwhile. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof HttpError ? error.code === 'file_not_found' : isMissing(error))) throw error;
  }
}
