import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'files',
  order: 40,
  pages: [
    {
      path: '/files',
      title: 'files.title',
      about: 'files.about',
      icon: 'folder',
      group: 'storage',
      features: ['filemanager'],
      load: () => import('./files-page.tsx'),
    },
  ],
  parts: [{ page: '/files/trash', order: 1, features: ['filemanager'], load: () => import('./tasks/task-list.tsx') }],
});
