import { definePlugin } from '../../kernel/contract/plugin.ts';
import { Unavailable } from '../../kernel/errors.ts';
import type { FileWork } from '../../kernel/areas/files/file-work.ts';
import { AccountRounds } from '../../kernel/areas/tasks/account-rounds.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import { EMPTY, TRASH } from './jobs.ts';
import type { TrashInput } from './jobs/trash-job.ts';
import { trashRoutes } from './routes.ts';
import { TrashConfig } from './schema.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * The trash of accounts gives up what is too old by the clock. It is looked at when its oldest becomes too
 * old, and an empty one after as many days as things are kept: what comes meanwhile is not too old before.
 */
export default definePlugin({
  name: 'trash',
  description: 'Removes files and folders of the account to a trash, which gives them back, and up after some days.',
  features: [],
  uses: ['files'],
  config: TrashConfig,
  routes: trashRoutes,
  setup(host) {
    const { config, identity, jobs, local, node, onClose } = host;
    const { virtual_root: virtualRoot } = node.config;
    const keptMs = config.kept_days * DAY_MS;
    const work = host.peer<FileWork>('files');
    if (work === undefined) throw new Unavailable('there are no files to remove', 'switch the plugin files on');
    const trash = (account: Account, input: TrashInput) =>
      jobs.run(TRASH, account, input, { makesRoot: input.act === 'remove' });
    const results = async (account: Account, input: TrashInput) => {
      const { done } = await trash(account, input);
      return { results: done.map(({ text, error = null, detail = null }) => ({ id: text, error, detail })) };
    };
    const look = async (account: Account) => {
      const { oldestAt = null } = await trash(account, { act: 'expire', keptMs });
      await local.write(async (tx) => {
        await identity.accounts.assertLivesHere(account);
        await tx.run(
          `insert into trashes (account_id, done_at, oldest_at) values (?, 0, ?)
            on conflict (account_id) do update set oldest_at = excluded.oldest_at`,
          ...[account.id, oldestAt],
        );
      });
    };
    const rounds = new AccountRounds(host, {
      ...{ feature: 'filemanager', table: 'trashes', everyDays: config.kept_days, checkSeconds: config.check_seconds },
      dueEarly: async () => {
        const sql = 'select account_id as id from trashes where oldest_at < ?';
        return new Set((await local.all<{ id: number }>(sql, Date.now() - keptMs)).map(({ id }) => id));
      },
      ready: async () => undefined,
      run: look,
    });
    onClose(() => rounds.close());
    if (node.isServing) void node.onLeader(() => rounds.start());
    return {
      handlers: {
        remove: ({ account, body }) =>
          results(account, { act: 'remove', paths: body.paths.map((path) => pathComponents(path, virtualRoot)) }),
        list: async ({ account }) => {
          const { removed } = await trash(account, { act: 'list' });
          const shown = removed.map((each) => ({ ...each, path: `${virtualRoot}${each.path}` }));
          return { removed: shown, kept_days: config.kept_days };
        },
        restore: ({ account, body: { ids } }) => results(account, { act: 'restore', ids }),
        empty: ({ account, body: { ids } }) => work.begin(account, 'empty', '', EMPTY, { ids, until: Date.now() }),
      },
    };
  },
});
