import { fail } from '../../errors.ts';
import { isMissing } from './files-root.ts';

/** Says of what is missing which error it is. */
type Kind = 'file' | 'folder';

/**
 * Returns our error for one of the system: 403 for what permissions refuse, 404 for what is missing, 409 for what exists, 507 for what
 * is full; others stay as they are.
 */
export function clearError(error: unknown, kind: Kind): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return fail.no_space('the disk, or the quota of the account, is full');
  if (code === 'EACCES' || code === 'EPERM')
    return fail.permission_denied('the permissions of the file, or of its folder, refuse this');
  if (code === 'EXDEV') return fail.permission_denied('it is on another file system');
  if (code === 'EFBIG') return fail.no_space('no file may be so large');
  if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'EISDIR')
    return fail.file_exists('something of this name exists already');
  if (!isMissing(error)) return error;
  return kind === 'file'
    ? fail.file_not_found('there is no such file')
    : fail.folder_not_found('there is no such folder');
}

/** Runs what opens or moves something. Errors: those of `clearError`. */
export function clearly<T>(work: () => T, kind: Kind): T {
  try {
    return work();
  } catch (error) {
    throw clearError(error, kind);
  }
}
