import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'openapi',
  order: 95,
  pages: [
    { path: '/docs', title: 'openapi.title', icon: 'book', isPublic: true, load: () => import('./docs-page.tsx') },
  ],
});
