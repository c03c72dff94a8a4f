import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'settings',
  order: 21,
  pages: [
    {
      path: '/settings',
      title: 'settings.title',
      icon: 'sliders',
      group: 'server',
      isOfNode: true,
      load: () => import('./settings-page.tsx'),
    },
  ],
});
