import { defineArea } from '../../pages/kit/index.ts';

const features = ['dashboard'];

export default defineArea({
  name: 'dashboard',
  order: 0,
  widgets: [
    { name: 'message', order: 1, features, isWide: true, load: () => import('./message.tsx') },
    { name: 'limits', order: 30, features, load: () => import('./limits-card.tsx') },
    { name: 'server', order: 60, features, load: () => import('./server-card.tsx') },
    { name: 'guides', order: 70, features, load: () => import('./guides-card.tsx') },
  ],
});
