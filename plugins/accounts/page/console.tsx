import { api, at, defineArea } from '../../pages/kit/index.ts';

const FOUND = 6;

export default defineArea({
  name: 'accounts',
  order: 10,
  pages: [
    {
      path: '/accounts',
      title: 'accounts.accounts',
      icon: 'users',
      group: 'customers',
      load: () => import('./accounts-page.tsx'),
    },
    {
      path: '/accounts',
      title: 'accounts.account',
      icon: 'user',
      isHidden: true,
      below: true,
      load: () => import('./account/account-page.tsx'),
    },
  ],
  find: {
    features: [],
    by: async (q) => {
      const { accounts } = await api('GET /api/accounts', { query: { q, limit: FOUND } });
      return accounts.map(({ username, email, plan, node }) => ({
        group: 'accounts.accounts',
        icon: 'user',
        title: username,
        detail: [plan, email, node].filter(Boolean).join(' · '),
        link: at(`/accounts/${username}`),
      }));
    },
  },
});
