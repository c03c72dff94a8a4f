import { defineErrors } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  picture_unreadable: [422, 'Not a picture that can be shown'],
});
