import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  permission_denied: [403, 'Refused by the permissions of the file'],
  file_not_found: [404, 'File not found'],
  upload_not_found: [404, 'No such upload'],
  file_exists: [409, 'Something of this name exists already'],
  offset_mismatch: [409, 'The upload is at another place'],
  uploads_full: [409, 'No room for another upload'],
  file_changed: [412, 'The file was changed by somebody else'],
  protocol_version: [412, 'Not the version of the protocol'],
  upload_too_large: [413, 'Too large for an upload'],
  upload_type: [415, 'Not the type of uploads'],
  upload_locked: [423, 'Something else is being sent to this upload'],
  checksum_mismatch: [460, 'What arrived is not what was sent'],
  no_space: [507, 'No room for this file'],
});
