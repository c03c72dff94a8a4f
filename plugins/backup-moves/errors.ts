import { MOVE_ERRORS } from '../../kernel/areas/moves/arriving-files.ts';
import { defineErrors, type HttpError } from '../../kernel/errors.ts';
import { escapeControl } from '../../kernel/log.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors(MOVE_ERRORS);

/** Returns 409 `move_refused`. */
export const refused = (detail: string): HttpError => fail.move_refused(escapeControl(detail));
