import { defineErrors } from '../../kernel/errors.ts';

export const fail = defineErrors({ not_ready: [503, 'The server is not ready'] });
