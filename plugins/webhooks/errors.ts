import type { ErrorTable } from '../../kernel/errors.ts';

export const errors = { webhook_not_found: [404, 'No such webhook'] } as const satisfies ErrorTable;
declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
