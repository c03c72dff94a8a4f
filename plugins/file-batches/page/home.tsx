import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'file-batches',
  order: 0,
  batches: { features: ['filemanager'], load: () => import('./send-batch.ts') },
});
