import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  upload_not_found: [404, 'No such upload'],
  offset_mismatch: [409, 'The upload is at another place'],
  uploads_full: [409, 'No room for another upload'],
  protocol_version: [412, 'Not the version of the protocol'],
  upload_too_large: [413, 'Too large for an upload'],
  upload_type: [415, 'Not the type of uploads'],
  upload_locked: [423, 'Something else is being sent to this upload'],
  checksum_mismatch: [460, 'What arrived is not what was sent'],
});
