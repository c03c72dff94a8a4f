import { PASSWORD } from '../../support/hostkeep.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const PRODUCT = 'as many as the product has';

const rows: PluginRows = {
  walk: {
    createAccount: () => ({ body: { username: 'jane', password: PASSWORD, role: 'user', plan: 'basic' } }),
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
  },
  bounded: {
    createAccount: PRODUCT,
    account: PRODUCT,
    updateAccount: PRODUCT,
    suspend: PRODUCT,
    unsuspend: PRODUCT,
    grant: PRODUCT,
    revoke: PRODUCT,
    removeAccount: PRODUCT,
  },
  pages: {
    '/console/accounts': ['Add account', 'Columns'],
    '/console/accounts/demo': ['Edit', 'Change plan', 'Log in as', 'Remove account'],
  },
};
export default rows;
