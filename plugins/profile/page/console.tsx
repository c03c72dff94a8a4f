import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'profile',
  order: 91,
  pages: [
    {
      path: '/account/sessions',
      title: 'profile.sessions',
      icon: 'phone',
      isHidden: true,
      load: () => import('./sessions-page.tsx'),
    },
  ],
  parts: [{ page: '/sessions', order: 1, load: () => import('./all-sessions.tsx') }],
});
