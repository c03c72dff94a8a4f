import type { ErrorTable } from '../../kernel/errors.ts';

/** The errors of this plugin; their titles in other languages are in `locales/`. */
export const errors = {
  site_unreachable: [502, 'The site could not be reached'],
  screenshots_unavailable: [503, 'Screenshots are temporarily unavailable'],
} as const satisfies ErrorTable;

declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
