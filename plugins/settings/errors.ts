import { defineErrors } from '../../kernel/errors.ts';

export const fail = defineErrors({
  setting_not_found: [404, 'No such setting'],
  setting_not_editable: [409, 'Setting not editable here'],
  setting_refused: [409, 'The server does not run with this value'],
  settings_busy: [409, 'Another change in progress'],
  setting_changed: [412, 'Setting changed meanwhile'],
});
