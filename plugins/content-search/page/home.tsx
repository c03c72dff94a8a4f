import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'content-search',
  order: 42,
  pages: [
    {
      path: '/files/search',
      title: 'content-search.title',
      icon: 'search',
      features: ['filemanager'],
      isHidden: true,
      load: () => import('./search-page.tsx'),
    },
  ],
});
