import { PASSWORD } from '../../support/hostkeep.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const PRODUCT = 'as many as the product has';

const rows: PluginRows = {
  walk: {
    createPlan: () => ({
      body: { name: 'starter', description: 'For a first site', domains_limit: 2, features: ['domains'] },
    }),
    updatePlan: () => ({ path: '/api/plans/starter', body: { cpu_limit: 1.5 } }),
    plan: () => ({ path: '/api/plans/starter' }),
    switchOn: () => ({ path: '/api/plans/starter/features/waf' }),
    switchOff: () => ({ path: '/api/plans/starter/features/waf' }),
    createAccount: () => ({ body: { username: 'jane', password: PASSWORD, role: 'user', plan: 'starter' } }),
    updateAccount: () => ({ path: '/api/accounts/jane', body: { email: 'jane@example.com' } }),
    account: () => ({ path: '/api/accounts/jane' }),
    password: () => ({ path: '/api/accounts/jane/password', body: { password: `${PASSWORD}!` } }),
    grant: () => ({ path: '/api/accounts/jane/features/waf' }),
    revoke: () => ({ path: '/api/accounts/jane/features/waf' }),
    suspend: () => ({ path: '/api/accounts/jane/suspend' }),
    unsuspend: () => ({ path: '/api/accounts/jane/unsuspend' }),
    sessions: () => ({ path: '/api/accounts/other/sessions' }),
    usage: () => ({ path: '/api/accounts/demo/usage' }),
    endSession: async ({ people, session }) => ({
      path: `/api/accounts/other/sessions/${await session(people.other)}`,
    }),
    endSessions: async ({ people, session }) => {
      await session(people.other);
      return { path: '/api/accounts/other/sessions' };
    },
    removeAccount: () => ({ path: '/api/accounts/jane' }),
    removePlan: () => ({ path: '/api/plans/starter' }),
  },
  answered: {
    removeAccount: 'named',
    usage: 'named',
    accounts: 'anywhere',
    createAccount: 'anywhere',
    account: 'anywhere',
    updateAccount: 'anywhere',
    suspend: 'anywhere',
    unsuspend: 'anywhere',
    password: 'anywhere',
    sessions: 'anywhere',
    endSessions: 'anywhere',
    endSession: 'anywhere',
    grant: 'anywhere',
    revoke: 'anywhere',
    features: 'anywhere',
    plans: 'anywhere',
    createPlan: 'anywhere',
    plan: 'anywhere',
    updatePlan: 'anywhere',
    removePlan: 'anywhere',
    switchOn: 'anywhere',
    switchOff: 'anywhere',
  },
  bounded: {
    features: PRODUCT,
    createAccount: PRODUCT,
    account: PRODUCT,
    updateAccount: PRODUCT,
    suspend: PRODUCT,
    unsuspend: PRODUCT,
    grant: PRODUCT,
    revoke: PRODUCT,
    createPlan: PRODUCT,
    plan: PRODUCT,
    updatePlan: PRODUCT,
    switchOn: PRODUCT,
    switchOff: PRODUCT,
    removeAccount: PRODUCT,
  },
  pages: {
    '/console/accounts': ['Add account', 'Columns'],
    '/console/accounts/demo': ['Change plan', 'Log in as', 'Remove account'],
    '/console/features': [],
    '/console/plans': ['Compare plans', 'Edit basic', 'Remove basic'],
  },
};
export default rows;
