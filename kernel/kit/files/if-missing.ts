import { access, stat } from 'node:fs/promises';

/** For `catch`: stands for a file or folder that is not there; any other failure stays one. */
export function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

/** Resolves with whether there is a file or folder at a path. */
export const isThere = async (path: string): Promise<boolean> =>
  (await stat(path).catch(undefinedIfMissing)) !== undefined;

/** Resolves with whether this process can reach what is at a path, in the way that `mode` says. */
export const isReachable = (path: string, mode?: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );
