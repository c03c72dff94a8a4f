import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'container-control',
  order: 51,
  parts: [
    {
      page: '/containers',
      order: 1,
      features: ['docker'],
      isWide: true,
      load: () => import('./container-list.tsx'),
    },
  ],
});
