import { findUnsafeParent, type FilesRoot } from '../files/files-root.ts';

/** Returns the folders from which customers could exchange one of these files roots. */
export default function unsafeParents(roots: readonly FilesRoot[]): string[] {
  return [...new Set(roots.map(findUnsafeParent).filter((parent) => parent !== undefined))];
}
