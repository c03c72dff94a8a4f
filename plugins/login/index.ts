import { definePlugin } from '../../kernel/contract/plugin.ts';
import { asPageReply, assertOwnPage, type LoginHistory } from '../../kernel/areas/login.ts';
import { fail } from './errors.ts';
import { events } from './events.ts';
import { dashboardPart, loginMetrics } from './extension-points.ts';
import { credentialHandlers } from './handlers.ts';
import { CredentialChanges } from './credentials/credential-changes.ts';
import { Locks } from './throttle/locks.ts';
import { Login } from './credentials/login.ts';
import { loginRoutes } from './credentials/routes.ts';
import { Throttle } from './throttle/throttle.ts';
import { unlock } from './throttle/unlock.ts';
import * as schema from './schema.ts';
import { lastLogins } from './store.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { accountTokenHandlers, tokenHandlers } from './tokens/tokens.ts';
import { resetTwofa } from './twofa/reset.ts';
import { twofaRoutes } from './twofa/routes.ts';
import { Twofa } from './twofa/twofa.ts';

export default definePlugin({
  name: 'login',
  description: 'Logging in and out, password, two-factor authentication and API tokens of the own account.',
  features: ['account', 'logout', 'twofa'],
  errors: fail,
  events,
  config: schema.LoginConfig,
  routes: {
    ...loginRoutes,
    ...twofaRoutes,
    ...tokenRoutes,
  },
  setup(host) {
    const { config, store, identity, events, node } = host;
    const twofa = new Twofa(host, config.issuer);
    const limits = { account: config.account_failures, address: config.address_failures };
    const throttle = new Throttle(store, host.workers, limits, node.clockSlackMs);
    host.onClose(() => throttle.close());
    const checks = { identity, events, throttle, twofa };
    const login = new Login(checks);
    const changes = new CredentialChanges({ ...checks, store });
    const locks = new Locks(host, throttle);
    return {
      service: { last: (id, limit, offset) => lastLogins(store, id, limit, offset) } satisfies LoginHistory,
      handlers: {
        login: async (call) => {
          assertOwnPage(call.header('hostkeep-page'), call.page);
          const client = { ip: call.ip, userAgent: call.header('user-agent'), signal: call.signal };
          return asPageReply(await login.logIn(call.body, client), call.page);
        },
        ...credentialHandlers(identity.sessions, changes, twofa),
        ...tokenHandlers(host, changes),
        ...accountTokenHandlers(identity),
        reauthenticate: (call) => changes.reauthenticate(call, call.body.password, call.body.twofa_code ?? ''),
        resetTwofa: (call) => resetTwofa(host, twofa, call),
        unlock: ({ account, params, query, ip }) =>
          unlock(host, params.username, { by: account.username, ip, from: query.from }),
        locks: () => locks.list(),
        liftLock: (call) => locks.lift(call.params.key, call),
      },
      provides: {
        dashboard: (account) => dashboardPart(twofa, account),
        counts: async () => ({ users: await identity.accounts.countOfHere() }),
        metrics: () => loginMetrics(login, throttle),
        demoPast: async (people) => (await import('./demo.ts')).demoPast(people),
        demo: async (people) => (await import('./demo.ts')).fillDemo(host, people),
      },
    };
  },
});
