import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'settings',
  order: 65,
  pages: [
    {
      path: '/settings',
      title: 'settings.title',
      icon: 'sliders',
      isOfNode: true,
      load: () => import('./settings-page.tsx'),
    },
  ],
});
