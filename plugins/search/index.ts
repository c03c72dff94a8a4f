import { definePlugin } from '../../kernel/plugin-api/plugin.ts';
import type { Metric } from '../../kernel/plugin-api/points/metric.ts';
import { FileSearch, watchLimit } from './file-search.ts';
import type { IndexerStatus } from './indexer/indexer-worker.ts';
import {
  FeatureHits,
  FileHits,
  FilesQuery,
  FolderHits,
  FoldersQuery,
  PlainQuery,
  SearchConfig,
  WebsiteHits,
} from './schema.ts';
import { findFeatures, findWebsites } from './text-search.ts';

const INDEX_HEADER =
  'The header X-Hostkeep-Index is `ready`, or `building` while the hits come from a bounded walk because there is no index yet.';

export default definePlugin({
  name: 'search',
  features: ['search'],
  config: SearchConfig,
  routes: {
    files: {
      method: 'GET',
      path: '/api/search/files',
      requiresFeatures: ['filemanager'],
      query: FilesQuery,
      reply: FileHits,
      summary: 'Files by name, best first',
      description: INDEX_HEADER,
      errors: ['invalid_path', 'folder_not_found', 'overloaded'],
    },
    folders: {
      method: 'GET',
      path: '/api/search/folders',
      requiresFeatures: ['filemanager'],
      query: FoldersQuery,
      reply: FolderHits,
      summary: 'Folders by name, best first',
      description: INDEX_HEADER,
      errors: ['invalid_path', 'folder_not_found', 'overloaded'],
    },
    features: {
      method: 'GET',
      path: '/api/search/features',
      query: PlainQuery,
      reply: FeatureHits,
      summary: 'Features of the account by name, title and description',
    },
    websites: {
      method: 'GET',
      path: '/api/search/websites',
      query: PlainQuery,
      reply: WebsiteHits,
      summary: 'Sites of the account by path',
    },
  },
  async setup({ config, node, identity, gather, onClose }) {
    const search = new FileSearch(config, node.config.data, node.config.virtual_root);
    onClose(() => search.close());
    await search.clean(identity.accounts);
    return {
      handlers: {
        files: ({ account, query }) => search.files(account, query),
        folders: ({ account, query }) => search.folders(account, query),
        features: ({ account, query }) => {
          const provided = node.features();
          const usable = node.locales.features(account.locale).filter(({ name }) => provided.has(name));
          return findFeatures(usable, account.features, query);
        },
        websites: async ({ account, query }) => {
          const parts = await gather('sites', account);
          return findWebsites(
            parts.flatMap((part) => (part.ok ? part.value.map(({ site }) => site) : [])),
            query,
          );
        },
      },
      provides: {
        doctor: () => [
          {
            name: 'inotify',
            ok: watchLimit() >= 65_536,
            detail: `fs.inotify.max_user_watches is ${watchLimit()}`,
            remedy: 'sysctl fs.inotify.max_user_watches=524288',
          },
        ],
        metrics: async () => metricsOf(await search.status()),
      },
    };
  },
});

function metricsOf(status: IndexerStatus | undefined): Metric[] {
  const metric = (name: string, type: Metric['type'], help: string, value = 0): Metric => ({
    name: `hostkeep_search_${name}`,
    type,
    help,
    samples: [{ value }],
  });
  return [
    metric('indexes', 'gauge', 'Accounts whose index is in memory', status?.accounts),
    metric('indexed_files', 'gauge', 'Files in those indexes', status?.files),
    metric('watched_folders', 'gauge', 'Folders watched with inotify', status?.watches),
    metric('memory_bytes', 'gauge', 'Memory of indexes and watches', status?.memoryBytes),
    metric('indexes_built_total', 'counter', 'Indexes made by walking', status?.indexesBuilt),
    metric('indexes_loaded_total', 'counter', 'Indexes read from disk', status?.indexesLoaded),
    metric('folders_listed_total', 'counter', 'Folders listed', status?.foldersListed),
    metric('failures_total', 'counter', 'Failures of the indexing thread', status?.failures),
  ];
}
