import { clientPath, componentsOf, Folder } from '../../kernel/system/safe-folder.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { AccountLimiter } from '../../kernel/concurrency/account-limiter.ts';
import { listFolders } from './listing.ts';
import { FilesConfig, FolderList, FolderParams } from './schema.ts';

const LIMITS = { atOnce: 8, perAccount: 2, waiting: 64 };

export default definePlugin({
  name: 'files',
  features: ['filemanager'],
  config: FilesConfig,
  routes: {
    list: {
      method: 'GET',
      path: ['/api/folders/*path', '/api/folders'],
      summary: 'The folders in a folder',
      description:
        'Symbolic links are neither listed nor followed. An account that has no files yet has an empty root.',
      params: FolderParams,
      reply: FolderList,
      errors: ['invalid_path', 'folder_not_found', 'files_unavailable', 'overloaded'],
    },
  },
  setup({ config, node }) {
    const limiter = new AccountLimiter(LIMITS);
    const { virtual_root: root } = node.config;
    return {
      handlers: {
        list: async ({ account, params, signal }) => {
          const components = componentsOf(absolute(params.path, root), root);
          const path = clientPath(components, root);
          return limiter.run(account, signal, async () => {
            const folder = await Folder.find(account.filesRoot, components);
            if (folder === undefined) return { path, folders: [], truncated: false };
            try {
              return { path, ...(await listFolders(folder, path, config, signal)) };
            } finally {
              await folder.close();
            }
          });
        },
      },
    };
  },
});

/** A path of the reply put behind `/api/folders` has lost its slash to the URL; that reading comes before the relative one. */
function absolute(path: string, root: string): string {
  return `/${path}` === root || `/${path}`.startsWith(`${root}/`) ? `/${path}` : path;
}
