import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  backup_not_found: [404, 'Backup not found'],
  settings_not_found: [404, 'The backup has no settings'],
  account_not_open: [409, 'The account is not open'],
  settings_refused: [422, 'These settings cannot be restored'],
});
