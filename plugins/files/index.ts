import { componentsOf } from '../../kernel/system/client-path.ts';
import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import { defineJob } from '../../kernel/jobs/job.ts';
import type list from './listing-job.ts';
import { FilesConfig, FolderList, FolderParams } from './schema.ts';

const LIST = defineJob<typeof list>({
  beside: import.meta.url,
  script: 'listing-job',
  timeoutMs: 10_000,
  tooMuch: 'overloaded',
});

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
  setup({ config, node, jobs }) {
    const { virtual_root: virtualRoot } = node.config;
    return {
      handlers: {
        list: ({ account, params, signal }) => {
          const components = componentsOf(absolute(params.path, virtualRoot), virtualRoot);
          return jobs.run(LIST, account, { components, virtualRoot, limits: config }, { signal });
        },
      },
    };
  },
});

/** Restores the leading slash of an absolute path: in a URL it merges with the slash after `/api/folders`. */
function absolute(path: string, root: string): string {
  return `/${path}` === root || `/${path}`.startsWith(`${root}/`) ? `/${path}` : path;
}
