import type { NodeInfo } from '../../kernel/plugin-api/node-info.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import type { RouteSpec } from '../../kernel/plugin-api/route-spec.ts';
import * as accounts from './accounts.ts';
import { Purges } from './purge.ts';
import * as plans from './plans.ts';
import * as schema from './schema.ts';

/** All routes of this plugin are for administrators, on the admin address. */
const admin = <const R extends Omit<RouteSpec, 'address' | 'access'>>(route: R) =>
  ({ ...route, address: 'admin', access: 'admin' }) as const;
const REAUTHENTICATION = 'POST /api/reauthenticate in the same session, at most five minutes before';
const ACCOUNT = '/api/accounts/:username';
const PLAN = '/api/plans/:name';

export default definePlugin({
  name: 'control',
  features: [],
  routes: {
    accounts: admin({
      method: 'GET',
      path: '/api/accounts',
      summary: 'List the accounts by name',
      query: schema.AccountsQuery,
      reply: schema.AccountPage,
    }),
    createAccount: admin({
      method: 'POST',
      path: '/api/accounts',
      summary: 'Create an account; a user needs a plan or null, an administrator has none',
      description: `A new administrator requires ${REAUTHENTICATION}.`,
      body: schema.AccountBody,
      reply: schema.AccountView,
      status: 201,
      errors: ['account_exists', 'name_reserved', 'ambiguous_username', 'plan_not_found', 'reauthentication_required'],
    }),
    account: admin({
      method: 'GET',
      path: ACCOUNT,
      summary: 'Get an account',
      params: schema.AccountParams,
      reply: schema.AccountView,
      errors: ['account_not_found'],
    }),
    updateAccount: admin({
      method: 'PUT',
      path: ACCOUNT,
      summary: 'Change plan, e-mail address or language',
      params: schema.AccountParams,
      body: schema.AccountChange,
      reply: schema.AccountView,
      errors: ['account_not_found', 'plan_not_found'],
    }),
    removeAccount: admin({
      method: 'DELETE',
      path: ACCOUNT,
      summary: 'Remove an account; purge what it leaves, or keep it and reserve the name',
      description:
        'Files are moved to where only the operator finds them; databases and containers stay where they are. Until they are ' +
        'purged, no new account gets the name. A purge that takes long goes on after the reply.',
      params: schema.AccountParams,
      query: schema.PurgeQuery,
      reply: schema.AccountRemoved,
      errors: ['account_not_found', 'last_admin', 'own_account', 'purge_in_progress'],
    }),
    suspend: admin({
      method: 'POST',
      path: `${ACCOUNT}/suspend`,
      summary: 'Suspend an account and end its sessions',
      params: schema.AccountParams,
      reply: schema.AccountView,
      errors: ['account_not_found', 'last_admin', 'own_account'],
    }),
    unsuspend: admin({
      method: 'POST',
      path: `${ACCOUNT}/unsuspend`,
      summary: 'Lift the suspension of an account',
      params: schema.AccountParams,
      reply: schema.AccountView,
      errors: ['account_not_found'],
    }),
    password: admin({
      method: 'PUT',
      path: `${ACCOUNT}/password`,
      summary: 'Set the password of an account and end its sessions',
      description: `The password of an administrator, the own one too, requires ${REAUTHENTICATION}.`,
      params: schema.AccountParams,
      body: schema.PasswordBody,
      reply: schema.PasswordChanged,
      errors: ['account_not_found', 'reauthentication_required'],
    }),
    sessions: admin({
      method: 'GET',
      path: `${ACCOUNT}/sessions`,
      summary: 'List the sessions of an account, newest first',
      params: schema.AccountParams,
      query: schema.PageQuery,
      reply: schema.SessionList,
      errors: ['account_not_found'],
    }),
    endSessions: admin({
      method: 'DELETE',
      path: `${ACCOUNT}/sessions`,
      summary: 'End all sessions of an account',
      params: schema.AccountParams,
      reply: schema.SessionsEnded,
      errors: ['account_not_found'],
    }),
    endSession: admin({
      method: 'DELETE',
      path: `${ACCOUNT}/sessions/:id`,
      summary: 'End one session of an account',
      params: schema.SessionParams,
      reply: schema.SessionsEnded,
      errors: ['account_not_found', 'session_not_found'],
    }),
    grant: admin({
      method: 'PUT',
      path: `${ACCOUNT}/features/:feature`,
      summary: 'Grant a feature to an account, independent of its plan',
      params: schema.AccountFeatureParams,
      reply: schema.AccountView,
      errors: ['account_not_found'],
    }),
    revoke: admin({
      method: 'DELETE',
      path: `${ACCOUNT}/features/:feature`,
      summary: 'Revoke a feature from an account, or let its plan decide again',
      params: schema.AccountFeatureParams,
      query: schema.InheritQuery,
      reply: schema.AccountView,
      errors: ['account_not_found'],
    }),
    plans: admin({
      method: 'GET',
      path: '/api/plans',
      summary: 'List the plans by name',
      query: schema.PageQuery,
      reply: schema.PlanPage,
    }),
    createPlan: admin({
      method: 'POST',
      path: '/api/plans',
      summary: 'Create a plan',
      body: schema.PlanBody,
      reply: schema.PlanView,
      status: 201,
      errors: ['plan_exists'],
    }),
    plan: admin({
      method: 'GET',
      path: PLAN,
      summary: 'Get a plan',
      params: schema.PlanParams,
      reply: schema.PlanView,
      errors: ['plan_not_found'],
    }),
    updatePlan: admin({
      method: 'PUT',
      path: PLAN,
      summary: 'Change limits of a plan, effective from the next request',
      params: schema.PlanParams,
      body: schema.PlanChange,
      reply: schema.PlanView,
      errors: ['plan_not_found'],
    }),
    removePlan: admin({
      method: 'DELETE',
      path: PLAN,
      summary: 'Remove a plan that no account uses',
      params: schema.PlanParams,
      reply: schema.PlanRemoved,
      errors: ['plan_not_found', 'plan_in_use'],
    }),
    switchOn: admin({
      method: 'PUT',
      path: `${PLAN}/features/:feature`,
      summary: 'Turn on a feature for all accounts of a plan',
      params: schema.PlanFeatureParams,
      reply: schema.PlanView,
      errors: ['plan_not_found'],
    }),
    switchOff: admin({
      method: 'DELETE',
      path: `${PLAN}/features/:feature`,
      summary: 'Turn off a feature for all accounts of a plan',
      params: schema.PlanFeatureParams,
      reply: schema.PlanView,
      errors: ['plan_not_found'],
    }),
    features: admin({
      method: 'GET',
      path: '/api/features',
      summary: 'List all features and the plugins that own them',
      reply: schema.FeatureList,
    }),
    plugins: admin({
      method: 'GET',
      path: '/api/plugins',
      summary: 'List all plugins and their states',
      reply: schema.PluginList,
    }),
  },
  setup(host) {
    const { identity, node, onClose } = host;
    const purges = new Purges(host);
    onClose(() => purges.close());
    const by = ({ account, ip }: { account: { username: string }; ip: string }) => ({ username: account.username, ip });
    return {
      handlers: {
        accounts: ({ query }) => accounts.listAccounts(host, query),
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
        grant: (call) => accounts.setFeature(host, call, true),
        revoke: (call) => accounts.setFeature(host, call, call.query.inherit ? undefined : false),
        plans: ({ query }) => plans.listPlans(host, query),
        createPlan: (call) => plans.createPlan(host, call.body, by(call)),
        plan: ({ params }) => plans.showPlan(identity, params.name),
        updatePlan: (call) => plans.updatePlan(host, call.params.name, call.body, by(call)),
        removePlan: (call) => plans.removePlan(host, call.params.name, by(call)),
        switchOn: (call) => plans.setPlanFeature(host, call.params, true, by(call)),
        switchOff: (call) => plans.setPlanFeature(host, call.params, false, by(call)),
        features: ({ account }) => ({ features: featureList(node, account.locale) }),
        plugins: () => ({
          plugins: node.plugins().map(({ name, state, features, provides, reason = null, remedy = null }) => ({
            name,
            state,
            features: [...features],
            provides: [...provides],
            reason,
            remedy,
          })),
        }),
      },
    };
  },
});

function featureList(node: NodeInfo, locale: string) {
  const owners = new Map(
    node.plugins().flatMap((plugin) => plugin.features.map((feature) => [feature, plugin] as const)),
  );
  return node.locales.features(locale).map((feature) => ({
    ...feature,
    plugin: owners.get(feature.name)?.name ?? null,
    state: owners.get(feature.name)?.state ?? null,
  }));
}
