import type { NodeInfo } from '../../kernel/plugin-api/node-info.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import type { RouteSpec } from '../../kernel/plugin-api/route-spec.ts';
import * as accounts from './accounts.ts';
import { listAccounts } from './account-lists.ts';
import { RecentReports } from './account-report.ts';
import { Examinations } from './examinations.ts';
import { Purges } from './purge.ts';
import { pluginStates } from './plugin-states.ts';
import * as plans from './plans.ts';
import * as schema from './schema.ts';

/** All routes of this plugin are for administrators, on the admin address. */
const admin = <const R extends Omit<RouteSpec, 'address' | 'access'>>(route: R) =>
  ({ ...route, address: 'admin', access: 'admin' }) as const;
const REAUTHENTICATION = 'POST /api/reauthenticate in the same session, at most five minutes before';
const ACCOUNT = '/api/accounts/:username';
const PLAN = '/api/plans/:name';

const UPDATE_ACCOUNT = admin({
  method: 'PATCH',
  path: ACCOUNT,
  summary: 'Change plan, e-mail address or language',
  description: 'Members that are left out stay as they are. Another plan counts from the next request on.',
  params: schema.AccountParams,
  body: schema.AccountChange,
  reply: schema.AccountView,
  errors: ['account_not_found', 'plan_not_found'],
});
const UPDATE_PLAN = admin({
  method: 'PATCH',
  path: PLAN,
  summary: 'Change limits of a plan, effective from the next request',
  description: 'Members that are left out stay as they are. What an account has beyond a lower limit stays.',
  params: schema.PlanParams,
  body: schema.PlanChange,
  reply: schema.PlanView,
  errors: ['plan_not_found'],
});
/** Before there was PATCH, PUT changed single members. */
const PUT = { method: 'PUT', deprecated: true } as const;

export default definePlugin({
  name: 'control',
  description: 'Accounts, plans and features, for administrators.',
  features: [],
  uses: ['fleet'],
  routes: {
    accounts: admin({
      method: 'GET',
      path: '/api/accounts',
      summary: 'List the accounts',
      description:
        'All filters that are given must match. With `over`, the usage of customers of other nodes is asked for there.',
      query: schema.AccountsQuery,
      reply: schema.AccountPage,
    }),
    createAccount: admin({
      method: 'POST',
      path: '/api/accounts',
      summary: 'Create an account; a user needs a plan or null, an administrator has none',
      description: `A new administrator requires ${REAUTHENTICATION}.`,
      idempotencyKey: 'kept',
      body: schema.AccountBody,
      reply: schema.AccountView,
      status: 201,
      errors: [
        'node_draining',
        'account_exists',
        'name_reserved',
        'ambiguous_username',
        'plan_not_found',
        'node_not_found',
        'reauthentication_required',
      ],
    }),
    account: admin({
      method: 'GET',
      path: ACCOUNT,
      summary: 'Get an account',
      description: 'Its plan, its effective features, and what was granted or revoked beside the plan.',
      params: schema.AccountParams,
      reply: schema.AccountView,
      errors: ['account_not_found'],
    }),
    updateAccount: UPDATE_ACCOUNT,
    putAccount: { ...UPDATE_ACCOUNT, ...PUT },
    removeAccount: admin({
      method: 'DELETE',
      path: ACCOUNT,
      at: 'named',
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
      description: 'Until it is unsuspended it cannot log in. Its files, databases and containers stay.',
      params: schema.AccountParams,
      reply: schema.AccountView,
      errors: ['account_not_found', 'last_admin', 'own_account'],
    }),
    unsuspend: admin({
      method: 'POST',
      path: `${ACCOUNT}/unsuspend`,
      summary: 'Lift the suspension of an account',
      description: 'It can log in again, with what it had before.',
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
      description: 'With address and program of each login; tokens are not shown.',
      params: schema.AccountParams,
      query: schema.PageQuery,
      reply: schema.SessionList,
      errors: ['account_not_found'],
    }),
    endSessions: admin({
      method: 'DELETE',
      path: `${ACCOUNT}/sessions`,
      sessionOnly: true,
      summary: 'End all sessions of an account',
      description: 'Their tokens are refused from the next request on.',
      params: schema.AccountParams,
      reply: schema.SessionsEnded,
      errors: ['account_not_found'],
    }),
    endSession: admin({
      method: 'DELETE',
      path: `${ACCOUNT}/sessions/:id`,
      sessionOnly: true,
      summary: 'End one session of an account',
      description: 'Its token is refused from the next request on.',
      params: schema.SessionParams,
      reply: schema.SessionsEnded,
      errors: ['account_not_found', 'session_not_found'],
    }),
    usage: admin({
      method: 'GET',
      path: `${ACCOUNT}/usage`,
      at: 'named',
      summary: 'Get what an account uses, and its limits',
      description:
        'Where files must be measured, the first request may be 503 overloaded after ten seconds; ask again, it goes on.',
      params: schema.AccountParams,
      reply: schema.UsageList,
      errors: ['account_not_found', 'overloaded'],
    }),
    grant: admin({
      method: 'PUT',
      path: `${ACCOUNT}/features/:feature`,
      summary: 'Grant a feature to an account, independent of its plan',
      description: 'Counts from the next request on, and stays when the plan changes.',
      params: schema.AccountFeatureParams,
      reply: schema.AccountView,
      errors: ['account_not_found'],
    }),
    revoke: admin({
      method: 'DELETE',
      path: `${ACCOUNT}/features/:feature`,
      summary: 'Revoke a feature from an account, or let its plan decide again',
      description: 'Counts from the next request on. With `inherit=true`, neither grant nor revocation is left.',
      params: schema.AccountFeatureParams,
      query: schema.InheritQuery,
      reply: schema.AccountView,
      errors: ['account_not_found'],
    }),
    plans: admin({
      method: 'GET',
      path: '/api/plans',
      summary: 'List the plans by name',
      description: 'With limits and features of each; a limit of 0 is none.',
      query: schema.PageQuery,
      reply: schema.PlanPage,
    }),
    createPlan: admin({
      method: 'POST',
      path: '/api/plans',
      summary: 'Create a plan',
      description: 'Without limits and features, except for what the request names.',
      idempotencyKey: 'kept',
      body: schema.PlanBody,
      reply: schema.PlanView,
      status: 201,
      errors: ['plan_exists'],
    }),
    plan: admin({
      method: 'GET',
      path: PLAN,
      summary: 'Get a plan',
      description: 'Limits and features; a limit of 0 is none.',
      params: schema.PlanParams,
      reply: schema.PlanView,
      errors: ['plan_not_found'],
    }),
    updatePlan: UPDATE_PLAN,
    putPlan: { ...UPDATE_PLAN, ...PUT },
    removePlan: admin({
      method: 'DELETE',
      path: PLAN,
      summary: 'Remove a plan that no account uses',
      description: 'A plan that accounts have is refused; give them another one first.',
      params: schema.PlanParams,
      reply: schema.PlanRemoved,
      errors: ['plan_not_found', 'plan_in_use'],
    }),
    switchOn: admin({
      method: 'PUT',
      path: `${PLAN}/features/:feature`,
      summary: 'Turn on a feature for all accounts of a plan',
      description: 'Counts from the next request on, except for accounts from which it was revoked.',
      params: schema.PlanFeatureParams,
      reply: schema.PlanView,
      errors: ['plan_not_found'],
    }),
    switchOff: admin({
      method: 'DELETE',
      path: `${PLAN}/features/:feature`,
      summary: 'Turn off a feature for all accounts of a plan',
      description: 'Counts from the next request on, except for accounts to which it was granted.',
      params: schema.PlanFeatureParams,
      reply: schema.PlanView,
      errors: ['plan_not_found'],
    }),
    features: admin({
      method: 'GET',
      path: '/api/features',
      summary: 'List all features and the plugins that own them',
      description:
        'In the language of the caller. A feature without a plugin is one of the panel itself, or of other software.',
      reply: schema.FeatureList,
    }),
    plugins: admin({
      method: 'GET',
      path: '/api/plugins',
      at: 'node',
      summary: 'List all plugins and their states',
      description: 'With the reason and a remedy for each that is not ready.',
      query: schema.NodeQuery,
      reply: schema.PluginList,
    }),
    doctor: admin({
      method: 'GET',
      path: '/api/doctor',
      at: 'node',
      summary: 'Prove that the node and its plugins have what they need, as hostkeep doctor does',
      description:
        'Those who ask at the same time share one examination. After 15 seconds the request is 503 overloaded; ask again, it ' +
        'goes on.',
      query: schema.NodeQuery,
      reply: schema.DoctorReport,
      errors: ['overloaded'],
    }),
    settings: admin({
      method: 'GET',
      path: '/api/settings',
      at: 'node',
      summary: 'List the settings in effect, and what set each',
      description: 'As hostkeep config show, of this process. Secrets are masked.',
      query: schema.NodeQuery,
      reply: schema.SettingList,
    }),
  },
  setup(host) {
    const reports = new RecentReports(host.gather);
    const examinations = new Examinations(host.node);
    const { identity, node, onClose } = host;
    const purges = new Purges(host);
    onClose(() => purges.close());
    const by = ({ account, ip }: { account: { username: string }; ip: string }) => ({ username: account.username, ip });
    return {
      handlers: {
        accounts: (call) => listAccounts(host, reports, call),
        createAccount: (call) => accounts.createAccount(host, call, call.body),
        account: async ({ params }) => accounts.accountReply(await identity.accounts.get(params.username)),
        updateAccount: (call) => accounts.updateAccount(host, call, call.body),
        putAccount: (call) => accounts.updateAccount(host, call, call.body),
        removeAccount: (call) => accounts.removeAccount(host, purges, call),
        suspend: (call) => accounts.suspendAccount(host, call),
        unsuspend: (call) => accounts.unsuspendAccount(host, call),
        password: (call) => accounts.setPassword(host, call, call.body.password),
        sessions: ({ params, query }) => accounts.listSessions(host, params.username, query),
        endSessions: (call) => accounts.endSessions(host, call),
        endSession: (call) => accounts.endSession(host, call),
        usage: async ({ params }) => reports.usageOf(await accounts.snapshot(host, params.username)),
        doctor: () => examinations.read(),
        settings: async () => ({ settings: await node.settings() }),
        grant: (call) => accounts.setFeature(host, call, true),
        revoke: (call) => accounts.setFeature(host, call, call.query.inherit ? undefined : false),
        plans: ({ query }) => plans.listPlans(host, query),
        createPlan: (call) => plans.createPlan(host, call.body, by(call)),
        plan: ({ params }) => plans.showPlan(identity, params.name),
        updatePlan: (call) => plans.updatePlan(host, call.params.name, call.body, by(call)),
        putPlan: (call) => plans.updatePlan(host, call.params.name, call.body, by(call)),
        removePlan: (call) => plans.removePlan(host, call.params.name, by(call)),
        switchOn: (call) => plans.setPlanFeature(host, call.params, true, by(call)),
        switchOff: (call) => plans.setPlanFeature(host, call.params, false, by(call)),
        features: ({ account }) => ({ features: featureList(node, account.locale) }),
        plugins: pluginStates(host),
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
