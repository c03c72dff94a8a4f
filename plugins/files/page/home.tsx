import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'files',
  order: 30,
  pages: [
    {
      path: '/files',
      title: 'files.title',
      about: 'files.about',
      icon: 'folder',
      features: ['filemanager'],
      load: () => import('./files-page.tsx'),
    },
  ],
});
