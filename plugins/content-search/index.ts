import { definePlugin } from '../../kernel/contract/plugin.ts';
import { clientPath, pathComponents } from '../../kernel/kit/files/client-path.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import type search from './jobs/search-job.ts';
import { ContentSearchConfig, ContentSearchQuery, FoundContent } from './schema.ts';

/** A search ends by itself before; it may wait for a slow disk. */
const TIMEOUT_MS = 300_000;
const IDLE_MS = 5000;
const MIB = 2 ** 20;
/** For Node.js, and for the content of one file and its text. */
const [MEMORY_MIB, COPIES] = [256, 4];
const SEARCH = defineJob<typeof search>({
  beside: import.meta.url,
  script: 'jobs/search-job',
  timeoutMs: TIMEOUT_MS,
  tooMuch: 'overloaded',
});

export default definePlugin({
  name: 'content-search',
  description: "Search in the contents of the account's files.",
  features: [],
  config: ContentSearchConfig,
  routes: {
    search: {
      method: 'GET',
      path: '/api/content-search',
      at: 'home',
      feature: { all: ['filemanager'] },
      summary: 'Find files by what stands in them',
      description:
        'In a folder and all below it, without links, the trash, and files that are no text. The search ends with its client.',
      query: ContentSearchQuery,
      reply: FoundContent,
      errors: ['invalid_path', 'folder_not_found', 'files_unavailable', 'overloaded'],
    },
  },
  setup({ config, jobs, node, onClose }) {
    const { virtual_root: virtualRoot } = node.config;
    // of its own, so that an account which searches can open its folders meanwhile
    const pool = jobs.open({
      ...{ name: 'content-search', processes: config.processes, idleMs: IDLE_MS },
      limits: { memoryMib: MEMORY_MIB + COPIES * config.max_file_mib },
    });
    onClose(() => pool.close());
    return {
      handlers: {
        search: async ({ account, signal, query }) => {
          const input = {
            ...{ text: query.text, ending: query.ending, isCaseIgnored: query.case === 'ignored' },
            components: pathComponents(query.path, virtualRoot),
            maxFileBytes: config.max_file_mib * MIB,
            maxBytes: config.max_mib * MIB,
            timeMs: config.seconds * 1000,
          };
          const { files, ...found } = await pool.run(SEARCH, jobs.ownerOf(account), input, { signal });
          return {
            ...found,
            files: files.map(({ names, ...file }) => ({ path: clientPath(names, virtualRoot), ...file })),
          };
        },
      },
    };
  },
});
