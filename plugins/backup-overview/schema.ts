import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const Text = Type.Union([Type.String(), Type.Null()]);

export const AccountBackup = NamedObject('AccountBackup', {
  username: Type.String(),
  state: Type.String({
    enum: ['failed', 'unreadable', 'none', 'late', 'good', 'off'],
    description:
      'failed: the last try made none. unreadable: the last check failed. none: there is none yet. late: the newest is older than the ' +
      'schedule wants. off: none is made by itself',
  }),
  schedule: Type.String({ enum: ['off', 'daily', 'weekly'] }),
  is_by_plan: Type.Boolean({ description: 'Whether the plan says so, because the account has not chosen it' }),
  newest_at: Type.Union([Type.String(), Type.Null()], { description: 'RFC 3339, as all times' }),
  kept: Type.Integer({ description: 'Backups that there are' }),
  size_bytes: Type.Integer({ description: 'What all of them take together' }),
  limit_bytes: Type.Integer({ description: 'Of size_bytes; 0 for none' }),
  tried_at: Type.Union([Type.String(), Type.Null()], { description: 'When the last try ended, within a week' }),
  problem: Type.Union([Type.String(), Type.Null()], { description: 'Why it made none' }),
  checked_at: Text,
  check_problem: Type.Union([Type.String(), Type.Null()], { description: 'Why they could not be read then' }),
});
export type AccountBackup = Static<typeof AccountBackup>;
export const AccountsQuery = Type.Object({
  node: Type.Optional(
    Type.String({ maxLength: 64, description: 'A node of the fleet; the one that is asked if left out' }),
  ),
  q: Type.String({ maxLength: 64, default: '', description: 'Part of a user name' }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.String({ pattern: '^\\d{0,8}$', default: '', description: 'next_cursor of the page before' }),
});
export const AccountsBackups = NamedObject('AccountsBackups', {
  accounts: Type.Array(AccountBackup, {
    description: 'Those that need somebody first, of these the oldest newest backup',
  }),
  total: Type.Integer(),
  troubled: Type.Integer({ description: 'Of the total, those that are neither good nor off' }),
  next_cursor: Text,
});
