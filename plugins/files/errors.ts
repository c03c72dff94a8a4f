import { defineErrors } from '../../kernel/errors.ts';

/** Lists the errors of routes that name a path. */
export const PATH_ERRORS = ['invalid_path', 'permission_denied', 'folder_not_found'] as const;

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  range_not_satisfiable: [416, 'The file is shorter'],
  download_not_found: [404, 'The link has expired'],
  archive_unreadable: [422, 'Not an archive that can be unpacked'],
  archive_refused: [422, 'The archive is not safe to unpack'],
  task_not_found: [404, 'No such work on files'],
  task_too_large: [422, 'Too large for one step'],
  task_interrupted: [503, 'The server stopped meanwhile'],
  digest_mismatch: [422, 'What arrived is not what was sent'],
});
