import type { ErrorTable } from '../../kernel/errors.ts';

export const errors = {
  not_offered: [501, 'Not offered by this server'],
  post_required: [405, 'Another method is required'],
} as const satisfies ErrorTable;

declare module '../../kernel/errors.ts' {
  interface ErrorCodes extends Record<keyof typeof errors, true> {}
}
