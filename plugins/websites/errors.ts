import { defineErrors } from '../../kernel/errors.ts';
import { DATABASE_ERRORS } from '../../kernel/kit/databases/errors.ts';

const { database_user_exists, database_users_limit_reached, databases_not_managed, databases_unavailable } =
  DATABASE_ERRORS;

/** The errors of this area; titles in other languages stand in `locales/`. */
export const fail = defineErrors({
  ...{ database_user_exists, database_users_limit_reached, databases_not_managed, databases_unavailable },
  database_info_not_found: [404, 'No application configuration found'],
  database_not_own: [409, 'Not a database of this account'],
  login_elsewhere: [409, 'The site uses another server'],
  login_not_literal: [409, 'The login cannot be replaced in the file'],
  login_not_written: [409, 'The new password is not in the file'],
  file_too_complex: [422, 'The file asks for too much'],
  invalid_config_file: [422, 'The configuration file cannot be read'],
});
