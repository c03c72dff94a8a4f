import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'hosting',
  order: 80,
  pages: [
    { path: '/info', title: 'hosting.title', icon: 'plan', features: ['info'], load: () => import('./plan-page.tsx') },
  ],
});
