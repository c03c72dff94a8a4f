import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'login',
  order: 90,
  pages: [
    {
      path: '/sessions',
      title: 'login.sessionsAndLocks',
      icon: 'lock',
      group: 'activity',
      load: () => import('./locks-page.tsx'),
    },
    {
      path: '/account',
      title: 'login.title',
      about: 'login.about',
      tab: 'login.security',
      icon: 'user',
      load: () => import('./security-page.tsx'),
    },
    {
      path: '/account/tokens',
      title: 'login.tokens',
      icon: 'keys',
      isHidden: true,
      load: () => import('./credentials/tokens-page.tsx'),
    },
  ],
});
