import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'container-shell',
  order: 52,
  parts: [
    {
      page: '/containers',
      order: 2,
      features: ['container_shell'],
      isWide: true,
      load: () => import('./shell-card.tsx'),
    },
  ],
});
