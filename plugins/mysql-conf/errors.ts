import { defineErrors } from '../../kernel/errors.ts';
import { DATABASE_ERRORS } from '../../kernel/kit/databases/errors.ts';

const { database_not_found, database_user_not_found, databases_not_managed, databases_unavailable } = DATABASE_ERRORS;

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const fail = defineErrors({
  ...{ database_not_found, database_user_not_found, databases_not_managed, databases_unavailable },
  unknown_collation: [400, 'Unknown collation'],
  beyond_plan: [409, 'More than the plan allows'],
  invalid_database_variable: [400, 'Unusable value'],
  database_server_not_found: [404, 'Database server not found'],
  database_variable_not_found: [404, 'Variable not found'],
  database_variable_refused: [409, 'The database server refuses this value'],
});
