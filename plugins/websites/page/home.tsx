import { api, at, defineArea } from '../../pages/kit/index.ts';

const features = ['autoinstaller'];

export default defineArea({
  name: 'websites',
  order: 11,
  pages: [
    {
      path: '/sites',
      title: 'websites.title',
      icon: 'window',
      group: 'sites',
      features,
      load: () => import('./websites-page.tsx'),
    },
  ],
  parts: [{ page: '/', order: 10, features, isWide: true, load: () => import('./sites-widget.tsx') }],
  find: {
    features,
    by: async (text) => {
      const { sites } = await api('GET /api/auto-installer');
      return sites
        .filter(({ site }) => site.includes(text.toLowerCase()))
        .map(({ site, type, version }) => ({
          group: 'websites.title',
          icon: 'window',
          title: site,
          detail: `${type} ${version}`,
          link: at('/sites'),
        }));
    },
  },
});
