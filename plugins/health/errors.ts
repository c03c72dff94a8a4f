import type { ErrorTable } from '../../kernel/errors.ts';

export const errors = { not_ready: [503, 'The server is not ready'] } as const satisfies ErrorTable;
declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
