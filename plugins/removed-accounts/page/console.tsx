import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'removed-accounts',
  order: 67,
  parts: [
    { page: '/account-backups', order: 1, load: () => import('./removed-part.tsx') },
    { page: '/accounts/remove', order: 1, load: () => import('./stays-part.tsx') },
  ],
});
