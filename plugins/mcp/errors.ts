import type { ErrorTable } from '../../kernel/errors.ts';

/** The errors of this plugin; `locales/` has their titles in other languages. */
export const errors = {
  origin_not_allowed: [403, 'Origin not allowed'],
} as const satisfies ErrorTable;

declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
