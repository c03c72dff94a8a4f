import { api, at, defineArea, lastName, mayUse, type Found } from '../../pages/kit/index.ts';

const LIMIT = 5;

/** The page of files shows what is found, at its place; it is of another plugin. */
const linkTo = (kind: 'file' | 'folder', path: string) => `${at('/files')}#${new URLSearchParams([[kind, path]])}`;

/** Files and folders for the palette. */
export default defineArea({
  name: 'search',
  order: 90,
  find: {
    features: ['search'],
    by: async (q) => {
      if (!mayUse(['filemanager'])) return [];
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
          link: linkTo('folder', path),
        })),
        ...files.map(({ path }): Found => ({
          group: 'search.files',
          icon: 'plan',
          title: lastName(path),
          detail: path,
          link: linkTo('file', path),
        })),
      ];
    },
  },
});
