import { api, at, defineArea } from '../../pages/kit/index.ts';

const FOUND = 6;

export default defineArea({
  name: 'control',
  order: 10,
  pages: [
    { path: '/accounts', title: 'control.accounts', icon: 'users', load: () => import('./accounts/accounts-page.tsx') },
    {
      path: '/accounts',
      title: 'control.account',
      icon: 'user',
      isHidden: true,
      below: true,
      load: () => import('./accounts/account-page.tsx'),
    },
    { path: '/features', title: 'control.features', icon: 'grid', load: () => import('./plans/features-page.tsx') },
    { path: '/plans', title: 'control.plans', icon: 'plan', load: () => import('./plans/plans-page.tsx') },
  ],
  find: {
    features: [],
    by: async (q) => {
      const { accounts } = await api('GET /api/accounts', { query: { q, limit: FOUND } });
      return accounts.map(({ username, email, plan, node }) => ({
        group: 'control.accounts',
        icon: 'user',
        title: username,
        detail: [plan, email, node].filter(Boolean).join(' · '),
        link: at(`/accounts/${username}`),
      }));
    },
  },
});
