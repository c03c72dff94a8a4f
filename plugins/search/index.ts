import { fail } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { readersLanguage } from '../../kernel/contract/route-spec.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { FileSearch, watchLimit } from './file-search.ts';
import * as schema from './schema.ts';
import { findFeatures, findWebsites } from './text-search.ts';

const ENOUGH_WATCHES = 65_536;
const INDEX_HEADER =
  'The header `X-Hostkeep-Index` is `ready` when the hits come from the index, `partial` when the index lacks names ' +
  'because there are too many, and `building` when there is none yet and the hits come from a bounded walk.';

const byName = {
  method: 'GET',
  at: 'home',
  feature: { all: ['filemanager'] },
  description: INDEX_HEADER,
  errors: ['invalid_path', 'folder_not_found', 'overloaded'],
} as const;

export default definePlugin({
  name: 'search',
  description: 'Search in files, folders, features and websites of the account.',
  features: ['search'],
  config: schema.SearchConfig,
  routes: {
    files: {
      ...byName,
      path: '/api/search/files',
      query: schema.FilesQuery,
      reply: schema.FileHits,
      summary: 'Find files by name, best matches first',
    },
    folders: {
      ...byName,
      path: '/api/search/folders',
      query: schema.FoldersQuery,
      reply: schema.FolderHits,
      summary: 'Find folders by name, best matches first',
    },
    features: {
      method: 'GET',
      path: '/api/search/features',
      at: 'home',
      query: schema.TextQuery,
      reply: schema.FeatureHits,
      summary: 'Find features of the account by name, title and description',
      description: 'In the language of the account; only features that it may use.',
    },
    websites: {
      method: 'GET',
      path: '/api/search/websites',
      at: 'home',
      query: schema.TextQuery,
      reply: schema.WebsiteHits,
      summary: 'Find sites of the account by domain and path',
      description: 'Each hit is a list with one member, as the interface of the service has it.',
    },
  },
  setup({ config, jobs, node, gather, onClose }) {
    const search = new FileSearch(config, jobs, node.config.virtual_root);
    onClose(() => search.close());
    return {
      handlers: {
        files: ({ account, query }) => search.find(account, 'files', query),
        folders: ({ account, query }) => search.find(account, 'folders', query),
        features: async (call) => {
          const usable = new Set(node.usableFeatures(call.account));
          const all = await node.features(readersLanguage(call, node.locales));
          const features = all.filter(({ name }) => usable.has(name));
          return findFeatures(features, call.query);
        },
        websites: async ({ account, query }) => {
          const parts = await gather('sites', account);
          const sites = parts.flatMap((part) => {
            if (part.ok) return part.value.map(({ site }) => site);
            throw fail.feature_unavailable('the sites of the account are not known yet', {
              retryAfterSeconds: 5,
              cause: part.error,
            });
          });
          return findWebsites(sites, query);
        },
      },
      provides: {
        doctor: () => [watchFinding(watchLimit())],
        metrics: () => search.metrics(),
      },
    };
  },
});

/** Folders beyond the limit are found by walks again and again. */
function watchFinding(limit: number): Finding {
  const finding = { name: 'inotify', detail: `fs.inotify.max_user_watches is ${limit}` };
  if (limit >= ENOUGH_WATCHES) return { ...finding, ok: true };
  return { ...finding, ok: false, isWarning: true, remedy: 'sysctl fs.inotify.max_user_watches=524288' };
}
