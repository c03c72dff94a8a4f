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
      summary: 'List the subfolders of a folder',
      description: 'Symbolic links are neither listed nor followed. The root of an account without files is empty.',
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

/** Restores the leading slash of an absolute path: in a URL it merges with the slash after `/api/folders`. */
function absolute(path: string, root: string): string {
  return `/${path}` === root || `/${path}`.startsWith(`${root}/`) ? `/${path}` : path;
}
