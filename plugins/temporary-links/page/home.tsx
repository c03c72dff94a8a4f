import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'temporary-links',
  order: 14,
  pages: [
    {
      path: '/temporary-links',
      title: 'temporary-links.title',
      icon: 'link',
      group: 'sites',
      features: ['temporary_links'],
      load: () => import('./temporary-links-page.tsx'),
    },
  ],
});
