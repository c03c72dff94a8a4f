import { defineArea } from '../kit/area.ts';

/** The first page of customers, which shows what the areas bring for it. */
export const overviewArea = defineArea({
  name: 'overview',
  order: 0,
  pages: [{ path: '/', title: 'pages.overview', icon: 'home', load: () => import('./overview-page.tsx') }],
});
