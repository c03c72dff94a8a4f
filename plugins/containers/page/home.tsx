import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'containers',
  order: 50,
  pages: [
    {
      path: '/containers',
      title: 'containers.title',
      icon: 'box',
      features: ['docker'],
      load: () => import('./containers-page.tsx'),
    },
  ],
});
