import { api, defineArea, type Found } from '../../pages/kit/index.ts';

const LIMIT = 5;

/** Files, folders and features for the palette. */
export default defineArea({
  name: 'search',
  order: 90,
  find: {
    features: ['search'],
    by: async (q) => {
      const query = { q, limit: LIMIT };
      const [files, folders] = await Promise.all([
        api('GET /api/search/files', { query }),
        api('GET /api/search/folders', { query }),
      ]);
      return [
        ...folders.map(({ name, path }): Found => ({
          group: 'search.folders',
          icon: 'folder',
          title: name,
          detail: path,
          link: '/home/files',
        })),
        ...files.map(({ path }): Found => ({
          group: 'search.files',
          icon: 'plan',
          title: path.slice(path.lastIndexOf('/') + 1),
          detail: path,
          link: '/home/files',
        })),
      ];
    },
  },
});
