import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'sftp',
  order: 44,
  pages: [
    {
      path: '/sftp',
      title: 'sftp.title',
      icon: 'folder',
      group: 'storage',
      features: ['ftp'],
      load: () => import('./sftp-page.tsx'),
    },
  ],
});
