import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'backup-copies',
  order: 32,
  parts: [{ page: '/backups', order: 40, features: ['backups'], load: () => import('./copy-part.tsx') }],
});
