import type { ErrorTable } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const errors = {
  invalid_unit: [400, 'Unknown unit'],
  database_not_found: [404, 'Database not found'],
  databases_unavailable: [503, 'Databases not available at the moment'],
} as const satisfies ErrorTable;

declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
