import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'login',
  order: 70,
  pages: [
    {
      path: '/account',
      title: 'login.title',
      about: 'login.about',
      tab: 'login.security',
      icon: 'user',
      features: ['account', 'twofa', 'locale', 'favorites', 'sessions', 'login_history', 'activity'],
      load: () => import('./security-page.tsx'),
    },
    {
      path: '/account/tokens',
      title: 'login.tokens',
      icon: 'keys',
      features: ['account'],
      isHidden: true,
      load: () => import('./credentials/tokens-page.tsx'),
    },
  ],
  parts: [
    { page: '/', order: 20, features: ['twofa'], isWide: true, load: () => import('./credentials/twofa-banner.tsx') },
  ],
});
