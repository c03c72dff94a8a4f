import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'site-access',
  order: 21,
  pages: [
    {
      path: '/site-access',
      title: 'site-access.title',
      icon: 'lock',
      group: 'security',
      features: ['site_access'],
      load: () => import('./site-access-page.tsx'),
    },
  ],
});
