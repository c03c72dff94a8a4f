import { defineErrors } from '../../kernel/errors.ts';

export const fail = defineErrors({ webhook_not_found: [404, 'No such webhook'] });
