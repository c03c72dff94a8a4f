import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'profile',
  order: 71,
  pages: [
    {
      path: '/account/sessions',
      title: 'profile.sessions',
      icon: 'phone',
      features: ['sessions', 'login_history'],
      isHidden: true,
      load: () => import('./sessions-page.tsx'),
    },
    {
      path: '/account/activity',
      title: 'profile.activity',
      icon: 'clock',
      features: ['activity'],
      isHidden: true,
      load: () => import('./activity-page.tsx'),
    },
  ],
  parts: [
    { page: '/', order: 40, features: ['favorites'], load: () => import('./favorites-widget.tsx') },
    { page: '/', order: 50, features: ['activity'], load: () => import('./activity-widget.tsx') },
    { page: '/account', order: 1, features: ['locale'], load: () => import('./language-card.tsx') },
    { page: '/account', order: 2, features: ['favorites'], load: () => import('./favorites-card.tsx') },
  ],
});
