import { definePlugin } from '../../kernel/contract/plugin.ts';
import { AccountRounds } from '../../kernel/contract/tasks/account-rounds.ts';
import type { FileTrash } from '../../kernel/contract/tasks/file-trash.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { Type } from '../../kernel/schema.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Has the trash of accounts give up what is too old by the clock. A trash is looked at when its oldest becomes too old, and an empty one
 * after as many days as things are kept: what comes meanwhile is not too old before.
 */
export default definePlugin({
  name: 'trash-expiry',
  description: 'Empties the trash of accounts of what was removed long ago, also where nobody removes anything more.',
  features: [],
  uses: ['files'],
  config: Type.Object({
    check_seconds: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 3600,
      description: 'Seconds after which it is looked again for a trash that gives something up',
    }),
  }),
  routes: {},
  setup(host) {
    const { config, identity, local, node, onClose } = host;
    const trash = host.peer<FileTrash>('files');
    if (trash === undefined) return { handlers: {} };
    const look = async (account: Account) => {
      const oldestAt = (await trash.expire(account)) ?? null;
      await local.write(async (tx) => {
        await identity.accounts.assertLivesHere(account);
        await tx.run(
          `insert into looked_trashes (account_id, done_at, oldest_at) values (?, 0, ?)
            on conflict (account_id) do update set oldest_at = excluded.oldest_at`,
          ...[account.id, oldestAt],
        );
      });
    };
    const rounds = new AccountRounds(host, {
      ...{ feature: 'filemanager', table: 'looked_trashes', everyDays: trash.keptDays },
      checkSeconds: config.check_seconds,
      dueEarly: async () => {
        const sql = 'select account_id as id from looked_trashes where oldest_at < ?';
        const rows = await local.all<{ id: number }>(sql, Date.now() - trash.keptDays * DAY_MS);
        return new Set(rows.map(({ id }) => id));
      },
      ready: async () => undefined,
      run: look,
    });
    onClose(() => rounds.close());
    if (node.isServing) void node.onLeader(() => rounds.start());
    return { handlers: {} };
  },
});
