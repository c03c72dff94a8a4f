import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

/** The names that accounts may have. They are safe as components of paths, and in the files of web servers. */
export const USERNAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** The folder of an account's files. */
export interface FilesRoot {
  readonly path: string;
  /** The beginning of the path, up to the component that holds the user name; links in it are followed. */
  readonly operatorPath: string;
  /** The components after it, in which no link is followed. */
  readonly below: readonly string[];
}

/** Returns the files root of an account by the setting `files_root`. */
export function resolveFilesRoot(template: string, username: string): FilesRoot {
  const components = template.split('/');
  const last = components.findIndex((component) => component.includes('{username}'));
  const [own, below] = last < 0 ? [components, []] : [components.slice(0, last + 1), components.slice(last + 1)];
  const pathOf = (parts: readonly string[]) => parts.join('/').replaceAll('{username}', username);
  return { path: pathOf(components), operatorPath: pathOf(own), below: below.filter((name) => name !== '') };
}

/** Returns a folder whose path only the operator sets; links in it are followed. */
export const operatorsRoot = (path: string): FilesRoot => ({ path, operatorPath: path, below: [] });

const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Returns the first parent of the root that somebody besides root and this process's user owns or may change, so that
 * the root could be exchanged for another folder; `undefined` if there is none. A parent that cannot be reached counts
 * as safe.
 */
export function findUnsafeParent(root: FilesRoot): string | undefined {
  const own = new Set([0, process.geteuid?.() ?? 0]);
  for (let path = dirname(root.path); ; path = dirname(path)) {
    const stats = statsOf(path);
    if (stats !== undefined) {
      const mayBeChanged = (stats.mode & OTHERS_MAY_WRITE) !== 0 && (stats.mode & STICKY) === 0;
      if (!own.has(stats.uid) || mayBeChanged) return path;
    }
    if (path === dirname(root.operatorPath) || path === '/') return undefined;
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // cannot be reached, by others neither
    return undefined;
  }
}

/**
 * Returns whether an error means that there is no such plain file or folder: it is missing, a link, or another kind.
 */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL'].includes((error as NodeJS.ErrnoException | null)?.code ?? '');
}
