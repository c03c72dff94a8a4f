import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'sftp',
  order: 31,
  pages: [
    {
      path: '/sftp',
      title: 'sftp.title',
      icon: 'folder',
      features: ['ftp'],
      load: () => import('./sftp-page.tsx'),
    },
  ],
});
