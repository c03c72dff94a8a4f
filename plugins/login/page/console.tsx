import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'login',
  order: 90,
  pages: [
    { path: '/sessions', title: 'account.sessionsAndLocks', icon: 'lock', load: () => import('./locks-page.tsx') },
    { path: '/account', title: 'account.title', icon: 'user', load: () => import('./security-page.tsx') },
    {
      path: '/account/sessions',
      title: 'account.sessions',
      icon: 'phone',
      isHidden: true,
      load: () => import('./sessions-page.tsx'),
    },
    {
      path: '/account/tokens',
      title: 'account.tokens',
      icon: 'keys',
      isHidden: true,
      load: () => import('./credentials/tokens-page.tsx'),
    },
  ],
});
