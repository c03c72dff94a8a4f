import { defineErrors } from '../../errors.ts';

/** The errors of managed databases at servers of all kinds. */
export const DATABASE_ERRORS = {
  invalid_database_name: [400, 'Not a usable name'],
  database_not_found: [404, 'Database not found'],
  database_user_not_found: [404, 'Database user not found'],
  database_access_not_found: [404, 'The user has no rights on this database'],
  database_process_not_found: [404, 'Process not found'],
  database_exists: [409, 'Database name already in use'],
  database_user_exists: [409, 'Database user already there'],
  database_limit_reached: [409, 'Database limit of the plan reached'],
  database_size_limit_reached: [409, 'Size of the plan for databases reached'],
  database_users_limit_reached: [409, 'No room for another database user'],
  databases_not_managed: [409, 'Databases not managed here'],
  import_failed: [422, 'Import failed'],
  query_failed: [422, 'The statement failed'],
  databases_unavailable: [503, 'Databases not available at the moment'],
} as const;

export const databaseFail = defineErrors(DATABASE_ERRORS);
