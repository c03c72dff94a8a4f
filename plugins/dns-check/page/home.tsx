import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'dns-check',
  order: 10,
  parts: [{ page: '/domains', order: 1, features: ['domains'], load: () => import('./dns-card.tsx') }],
});
