import { defineArea } from '../../pages/kit/index.ts';

const features = ['filemanager'];

export default defineArea({
  name: 'trash',
  order: 41,
  pages: [
    {
      path: '/files/trash',
      title: 'trash.title',
      icon: 'trash',
      features,
      isHidden: true,
      load: () => import('./trash-page.tsx'),
    },
  ],
  removal: { features, load: () => import('./removal.ts') },
});
