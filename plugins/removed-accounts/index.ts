import type { AccountMaker } from '../../kernel/areas/archives/account-maker.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import type { AccountBackups, SettingsBackups } from '../../kernel/areas/backups/account-backups.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { KeptAccounts } from './kept-accounts.ts';
import { removedAccountsRoutes } from './routes.ts';
import { RemovedAccountsConfig } from './schema.ts';
import { idIn } from './store.ts';

export default definePlugin({
  name: 'removed-accounts',
  description: 'Brings removed accounts back from their backups, which it keeps for some days.',
  features: [],
  uses: ['backups', 'settings-backups', 'account-archives'],
  errors: fail,
  events,
  config: RemovedAccountsConfig,
  routes: removedAccountsRoutes,
  setup(host) {
    const { config, identity, log, node, onClose, peer } = host;
    const backups = peer<AccountBackups>('backups');
    const removed =
      backups &&
      new KeptAccounts(host, {
        backups,
        maker: peer<AccountMaker>('account-archives'),
        settings: peer<SettingsBackups>('settings-backups'),
      });
    const there = () => {
      if (removed === undefined) throw fail.feature_unavailable('the plugin backups is off or unavailable');
      return removed;
    };
    if (removed !== undefined) {
      const looking = new Recurring({
        run: () => removed.look(),
        failed: (err) => log.error({ err }, 'removed accounts could not be looked at'),
        everyMs: config.check_seconds * 1000,
      });
      onClose(async () => {
        await Promise.all([looking.close(), removed.tasks.close()]);
      });
      if (node.isServing) void node.onLeader(() => node.afterSetup(() => looking.wake()));
    }
    return {
      service: removed,
      handlers: {
        list: async () => ({ days: config.days, accounts: await there().list() }),
        restore: async ({ params, body: { password, ...chosen }, account, session, ip }) => {
          await there().prepare(params.name, chosen);
          const lane = { client: session.accountId, isReserved: true };
          const hash = await identity.passwords.hash(password, lane);
          return there().begin(params.name, chosen, hash, { username: account.username, ip });
        },
        remove: async ({ params: { name }, account: { username }, ip }) => {
          await there().remove(name, { username, ip });
          return { name, removed: true as const };
        },
        task: ({ params }) => there().tasks.get({ id: idIn(params.name) }, params.id),
        cancel: ({ params }) => there().tasks.cancel({ id: idIn(params.name) }, params.id),
      },
      provides: {
        ...(removed && {
          removing: (account) => removed.note(account),
          keepsBackups: (account) => removed.keep(account),
          purge: async ({ id }) =>
            (await removed.keeps(id)) ? [{ what: `backups, which stay for ${config.days} days`, removed: 0 }] : [],
        }),
      },
    };
  },
});
