import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type { Call } from '../../kernel/contract/route-spec.ts';
import type listing from './listing-job.ts';
import { FilesConfig, FolderList, FolderParams } from './schema.ts';

const LIST = defineJob<typeof listing>({
  beside: import.meta.url,
  script: 'listing-job',
  timeoutMs: 10_000,
  tooMuch: 'overloaded',
});

const LIST_ERRORS = ['folder_not_found', 'files_unavailable', 'overloaded'] as const;

export default definePlugin({
  name: 'files',
  description: 'Folders of the account.',
  features: ['filemanager'],
  config: FilesConfig,
  routes: {
    list: {
      method: 'GET',
      path: '/api/folders/*path',
      at: 'home',
      summary: 'List the subfolders of a folder',
      description: 'Symbolic links are neither listed nor followed. The root of an account without files is empty.',
      params: FolderParams,
      reply: FolderList,
      errors: ['invalid_path', ...LIST_ERRORS],
    },
    root: {
      method: 'GET',
      path: '/api/folders',
      at: 'home',
      summary: 'List the folders of the account',
      description: 'Those in the root, without symbolic links. The root of an account without files is empty.',
      reply: FolderList,
      errors: LIST_ERRORS,
    },
  },
  setup({ config, node, jobs }) {
    const { virtual_root: virtualRoot } = node.config;
    const list = ({ account, signal }: Pick<Call, 'account' | 'signal'>, path: string) => {
      const components = pathComponents(absolute(path, virtualRoot), virtualRoot);
      return jobs.run(LIST, account, { components, virtualRoot, limits: config }, { signal });
    };
    return { handlers: { list: (call) => list(call, call.params.path), root: (call) => list(call, '') } };
  },
});

/** Restores the leading slash of an absolute path: in a URL it merges with the slash after `/api/folders`. */
function absolute(path: string, root: string): string {
  return `/${path}` === root || `/${path}`.startsWith(`${root}/`) ? `/${path}` : path;
}
