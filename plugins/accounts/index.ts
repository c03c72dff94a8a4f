import { fail } from './errors.ts';
import { warnIfUnprovided } from '../../kernel/contract/node-info.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import * as accounts from './accounts.ts';
import { listAccounts } from './account-lists.ts';
import { RecentReports } from './account-report.ts';
import { Purges } from './purge.ts';
import { accountRoutes } from './routes.ts';

export default definePlugin({
  name: 'accounts',
  description: 'Accounts, their sessions and features, for administrators.',
  errors: fail,
  features: [],
  uses: ['fleet', 'usage'],
  routes: accountRoutes,
  setup(host) {
    const reports = new RecentReports(host.gather);
    const { identity, onClose } = host;
    const purges = new Purges(host);
    onClose(() => purges.close());
    return {
      handlers: {
        accounts: (call) => listAccounts(host, reports, call),
        createAccount: (call) => accounts.createAccount(host, call, call.body),
        account: async ({ params }) => accounts.accountReply(await identity.accounts.get(params.username)),
        updateAccount: (call) => accounts.updateAccount(host, call, call.body),
        removeAccount: (call) => accounts.removeAccount(host, purges, call),
        suspend: (call) => accounts.suspendAccount(host, call),
        unsuspend: (call) => accounts.unsuspendAccount(host, call),
        password: (call) => accounts.setPassword(host, call, call.body.password),
        sessions: ({ params, query }) => accounts.listSessions(host, params.username, query),
        endSessions: (call) => accounts.endSessions(host, call),
        endSession: (call) => accounts.endSession(host, call),
        usage: async ({ params }) => reports.usageOf(await accounts.snapshot(host, params.username)),
        grant: async (call) => ({
          ...(await accounts.setFeature(host, call, true)),
          warning: warnIfUnprovided(host.node, call.params.feature),
        }),
        revoke: (call) => accounts.setFeature(host, call, call.query.inherit ? undefined : false),
      },
    };
  },
});
