import type { ErrorTable } from '../../kernel/errors.ts';

/** The errors of this area; titles in other languages stand in `locales/`. */
export const errors = {
  site_unreachable: [502, 'The site cannot be reached'],
  screenshots_unavailable: [503, 'Screenshots not available at the moment'],
} as const satisfies ErrorTable;

declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
