import { defineArea } from '../../pages/kit/index.ts';

const features = ['dashboard'];

export default defineArea({
  name: 'dashboard',
  order: 0,
  parts: [
    { page: '/', order: 1, features, isWide: true, load: () => import('./message.tsx') },
    { page: '/', order: 30, features, load: () => import('./limits-card.tsx') },
    { page: '/', order: 60, features, load: () => import('./server-card.tsx') },
    { page: '/', order: 70, features, load: () => import('./guides-card.tsx') },
  ],
});
