import type { ErrorTable } from '../../kernel/errors.ts';

/** The errors of this area; titles in other languages stand in `locales/`. */
export const errors = {
  database_info_not_found: [404, 'No application configuration found'],
  file_too_complex: [422, 'The file asks for too much'],
  invalid_config_file: [422, 'The configuration file cannot be read'],
} as const satisfies ErrorTable;

declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
