import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'site-access',
  order: 12,
  pages: [
    {
      path: '/site-access',
      title: 'site-access.title',
      icon: 'lock',
      features: ['site_access'],
      load: () => import('./site-access-page.tsx'),
    },
  ],
});
