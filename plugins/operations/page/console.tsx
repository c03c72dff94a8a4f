import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'operations',
  order: 20,
  pages: [
    {
      path: '/plugins',
      title: 'operations.plugins',
      about: 'operations.pluginsAbout',
      icon: 'puzzle',
      group: 'server',
      isOfNode: true,
      load: () => import('./plugins-page.tsx'),
    },
    {
      path: '/plugins/doctor',
      title: 'operations.doctor',
      icon: 'shield',
      isHidden: true,
      isOfNode: true,
      load: () => import('./doctor-page.tsx'),
    },
  ],
});
