import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'certificates',
  order: 12,
  pages: [
    {
      path: '/certificates',
      title: 'certificates.title',
      icon: 'lock',
      features: ['ssl'],
      load: () => import('./certificates-page.tsx'),
    },
  ],
});
