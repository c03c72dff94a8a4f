import { defineErrors } from '../../kernel/errors.ts';
import { DATABASE_ERRORS } from '../../kernel/kit/databases/errors.ts';

const { database_not_found, database_user_not_found, databases_not_managed, databases_unavailable } = DATABASE_ERRORS;

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  ...{ database_not_found, database_user_not_found, databases_not_managed, databases_unavailable },
  unknown_collation: [400, 'Unknown collation'],
  beyond_plan: [409, 'More than the plan allows'],
});
