import { defineArea } from '../../pages/kit/index.ts';

const features = ['filemanager'];

export default defineArea({
  name: 'uploads',
  order: 0,
  parts: [{ page: '/files', order: 10, features, load: () => import('./incomplete-card.tsx') }],
  sender: { features, minBytes: 8 * 2 ** 20 + 1, load: () => import('./send-resumable.ts') },
});
