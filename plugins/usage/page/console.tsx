import { defineArea } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'usage',
  order: 0,
  pages: [{ path: '/', title: 'usage.live', icon: 'gauge', isOfNode: true, load: () => import('./live-page.tsx') }],
});
