import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'plans',
  order: 11,
  pages: [
    {
      path: '/features',
      title: 'plans.features',
      icon: 'grid',
      group: 'customers',
      load: () => import('./features-page.tsx'),
    },
    { path: '/plans', title: 'plans.plans', icon: 'plan', group: 'customers', load: () => import('./plans-page.tsx') },
  ],
});
