import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'containers',
  order: 61,
  pages: [
    {
      path: '/containers',
      title: 'containers.title',
      icon: 'box',
      group: 'advanced',
      features: ['docker'],
      load: () => import('./containers-page.tsx'),
    },
  ],
});
