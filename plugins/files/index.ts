import { definePlugin } from '../../kernel/contract/plugin.ts';
import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import type { Call } from '../../kernel/contract/route-spec.ts';
import { entryRoutes, folderRoutes } from './routes.ts';
import { fail } from './errors.ts';
import { CHANGE, COPY, ENTRIES, LIST, REPAIR, WRITE } from './jobs.ts';
import type { Expected } from '../../kernel/kit/files/unfinished/unfinished-files.ts';
import type { FileWork } from '../../kernel/areas/files/file-work.ts';
import { taskHandlers } from '../../kernel/areas/tasks/task-routes.ts';
import { assertRoom, freeRoom } from '../../kernel/areas/files/free-room.ts';
import { FilesConfig } from './schema.ts';
import { archiveHandlers } from './archives/handlers.ts';
import { archiveRoutes } from './archives/routes.ts';
import { sendFile } from './send-file.ts';
import { workRoutes } from './tasks/routes.ts';
import { LongWork } from './tasks/long-work.ts';
import { AccountTransfers } from '../../kernel/kit/waiting/account-transfers.ts';
import { upload } from './upload.ts';

type Asked = Pick<Call, 'account' | 'signal'>;

export default definePlugin({
  name: 'files',
  description: 'Files of the account: folders, uploads, downloads and archives.',
  errors: fail,
  uses: ['quota'],
  features: ['filemanager', 'fix_permissions'],
  config: FilesConfig,
  routes: { ...folderRoutes, ...entryRoutes, ...workRoutes, ...archiveRoutes },
  setup(host) {
    const { config, node, jobs, gather, onClose } = host;
    const { virtual_root: virtualRoot } = node.config;
    const transfers = new AccountTransfers(config.transfers);
    const work = new LongWork(host);
    onClose(() => work.close());
    const components = (path: string) => pathComponents(path, virtualRoot);
    const shown = (path: string) => ({ path: [virtualRoot, ...components(path)].join('/') });
    const list = ({ account, signal }: Asked, path: string) => {
      const parts = components(absolute(path, virtualRoot));
      return jobs.run(LIST, account, { components: parts, virtualRoot, limits: config }, { signal });
    };
    return {
      service: work satisfies FileWork,
      handlers: {
        list: (call) => list(call, call.params.path),
        root: (call) => list(call, ''),
        entries: async ({ account, signal, query: { path, sort, order, limit, cursor } }) => {
          const offset = Number(cursor);
          const input = {
            ...{ components: components(path), offset, limit, maxEntries: config.max_entries },
            sort: sort as 'name' | 'size' | 'modified',
            isDescending: order === 'desc',
          };
          const { entries, total, isTruncated } = await jobs.run(ENTRIES, account, input, { signal });
          const next = offset + limit < total ? String(offset + limit) : null;
          return { ...shown(path), entries, total, truncated: isTruncated, next_cursor: next };
        },
        read: (call) => sendFile({ jobs, transfers }, call.account, components(call.query.path), call),
        write: async (call) => {
          const { account, query, body } = call;
          const end = transfers.begin(account.id);
          try {
            const target = {
              components: components(query.path),
              expected: readExpected(call.header('if-match'), call.header('if-none-match')),
              digest: call.header('content-digest'),
              free: await freeRoom(host, account),
            };
            const entry = await upload(body, target, (input, bytes) =>
              jobs.run(WRITE, account, input, { makesRoot: true, ...(bytes && { bytes }) }),
            );
            void gather('uploaded', account, target.components);
            return { ...entry, ...shown(query.path) };
          } finally {
            end();
          }
        },
        makeFolder: async ({ account, body: { path } }) => {
          const change = { change: 'make folder', components: components(path) } as const;
          assertRoom({ names: 1 }, await freeRoom(host, account), fail.no_space);
          return { ...(await jobs.run(CHANGE, account, change, { makesRoot: true })), ...shown(path) };
        },
        move: async ({ account, body: { from, to } }) => {
          const [source, target] = [components(from), components(to)];
          if (source.every((name, i) => target[i] === name))
            throw fail.invalid_path('a folder cannot be moved to itself, or into itself');
          return { ...(await jobs.run(CHANGE, account, { change: 'move', from: source, to: target })), ...shown(to) };
        },
        copy: ({ account, body: { from, to } }) =>
          work.begin(account, 'copy', to, COPY, { from: work.belowRoot(from), to: work.belowRoot(to) }),
        repair: ({ account, body: { path } }) => {
          const input = { components: components(path) };
          return work.begin(account, 'repair', path, REPAIR, input, async (run) => {
            const { given, problem } = await jobs.giveFiles(account, { ...input, names: config.task_names }, run);
            return { files: given, detail: problem && `owners were not looked at: ${problem}` };
          });
        },
        ...taskHandlers(host, work.tasks, 'file tasks'),
        ...archiveHandlers({ host, transfers, work }),
        setMode: async ({ account, body: { path, mode } }) => {
          const change = { change: 'mode', components: components(path), mode: Number.parseInt(mode, 8) } as const;
          return { ...(await jobs.run(CHANGE, account, change)), ...shown(path) };
        },
      },
    };
  },
});

/** Restores the leading slash of an absolute path: in a URL it merges with the slash after `/api/folders`. */
function absolute(path: string, root: string): string {
  return `/${path}` === root || `/${path}`.startsWith(`${root}/`) ? `/${path}` : path;
}

/** Errors: 400 for a condition that we cannot hold, because to ignore it could lose what it protects. */
function readExpected(ifMatch: string, ifNoneMatch: string): Expected {
  if (ifNoneMatch !== '' && ifNoneMatch !== '*') throw fail.invalid_request('If-None-Match must be *');
  if (ifNoneMatch === '*') return 'nothing';
  if (ifMatch === '') return 'anything';
  if (!/^"[!#-~]+"$/.test(ifMatch)) throw fail.invalid_request('If-Match must be one ETag');
  return { etag: ifMatch };
}
