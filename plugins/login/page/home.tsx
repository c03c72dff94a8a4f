import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'login',
  order: 70,
  pages: [
    {
      path: '/account',
      title: 'account.title',
      icon: 'user',
      features: ['account', 'twofa', 'locale', 'favorites', 'sessions', 'login_history', 'activity'],
      load: () => import('./security-page.tsx'),
    },
    {
      path: '/account/sessions',
      title: 'account.sessions',
      icon: 'phone',
      features: ['sessions', 'login_history'],
      isHidden: true,
      load: () => import('./sessions-page.tsx'),
    },
    {
      path: '/account/tokens',
      title: 'account.tokens',
      icon: 'keys',
      features: ['account'],
      isHidden: true,
      load: () => import('./credentials/tokens-page.tsx'),
    },
    {
      path: '/account/activity',
      title: 'account.activity',
      icon: 'clock',
      features: ['activity'],
      isHidden: true,
      load: () => import('./activity/activity-page.tsx'),
    },
  ],
  widgets: [
    {
      name: 'twofa',
      order: 2,
      features: ['twofa'],
      isWide: true,
      load: () => import('./credentials/twofa-banner.tsx'),
    },
    { name: 'favorites', order: 40, features: ['favorites'], load: () => import('./favorites/favorites-widget.tsx') },
    { name: 'activity', order: 50, features: ['activity'], load: () => import('./activity/activity-widget.tsx') },
  ],
});
