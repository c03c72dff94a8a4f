import { entryPath } from '../../kernel/kit/files/safe-folder.ts';
import { inOwnFolder, lookIntoOwnFolder, removeFromOwnFolder } from '../../kernel/kit/files/own-folder.ts';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { lstatSync, mkdirSync, readdirSync, type Stats } from 'node:fs';
import { ENDED, OPENED, ROOM, SESSIONS, TMP } from './pools/session-pool.ts';

/** The state of a session, by its files. */
export interface SessionFiles {
  /** When the last request came, in milliseconds since 1970; `null` for none. */
  readonly usedAt: number | null;
  /** Whether the customer has logged out, or the gate has ended the session. */
  readonly isEnded: boolean;
}

/** Empties the folder of sessions, and makes what a new one needs (`make`), or tells what is in it (`look`). */
export default async function session(task: 'make' | 'remove' | 'look', { root }: JobContext): Promise<SessionFiles> {
  if (task !== 'look') {
    const names = lookIntoOwnFolder(root, ROOM, (folder) => readdirSync(entryPath(folder, '') as string)) ?? [];
    await removeFromOwnFolder(root, ROOM, names);
  }
  if (task === 'make')
    inOwnFolder(root, ROOM, (folder) => {
      for (const name of [TMP, SESSIONS]) mkdirSync(entryPath(folder, name), { mode: 0o700 });
    });
  if (task !== 'look') return { usedAt: null, isEnded: false };
  const found = (name: string) =>
    lookIntoOwnFolder(root, ROOM, (folder): Stats | undefined =>
      lstatSync(entryPath(folder, name), { throwIfNoEntry: false }),
    );
  return { usedAt: found(OPENED)?.mtimeMs ?? null, isEnded: found(ENDED) !== undefined };
}
