import type { ErrorTable } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const errors = {
  domain_exists: [409, 'Domain name already in use'],
  domain_has_subdomains: [409, 'Domain still has subdomains'],
  domain_limit_reached: [409, 'Domain limit of the plan reached'],
  names_limit_reached: [409, 'Limit of domains and subdomains of the plan reached'],
} as const satisfies ErrorTable;

declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
