import { api, at, defineArea, toUnicode } from '../../pages/kit/index.ts';

export default defineArea({
  name: 'domains',
  order: 10,
  pages: [
    {
      path: '/domains',
      title: 'domains.title',
      icon: 'globe',
      group: 'sites',
      features: ['domains'],
      load: () => import('./domains-page.tsx'),
    },
  ],
  find: {
    features: ['domains'],
    by: async (text) => {
      const { domains } = await api('GET /api/domains');
      return domains
        .filter(({ domain_url: name }) => `${name} ${toUnicode(name)}`.includes(text.toLowerCase()))
        .map(({ domain_url: name, docroot }) => ({
          group: 'domains.title',
          icon: 'globe',
          title: toUnicode(name),
          detail: docroot,
          link: `${at('/domains')}?search=${encodeURIComponent(name)}`,
        }));
    },
  },
});
