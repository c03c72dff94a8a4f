import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'resources',
  order: 0,
  parts: [{ page: '/', order: 32, features: ['resources'], load: () => import('./resources-card.tsx') }],
});
