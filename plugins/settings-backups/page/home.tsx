import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'settings-backups',
  order: 33,
  parts: [{ page: '/backups/open', order: 30, features: ['backups'], load: () => import('./settings-part.tsx') }],
});
