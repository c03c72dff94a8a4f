import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'certificates',
  order: 20,
  pages: [
    {
      path: '/certificates',
      title: 'certificates.title',
      icon: 'lock',
      group: 'security',
      features: ['ssl'],
      load: () => import('./certificates-page.tsx'),
    },
  ],
});
