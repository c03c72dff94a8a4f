import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Handlers } from '../../../kernel/contract/route-spec.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { fail } from '../errors.ts';
import { COMPRESS, EXTRACT } from '../jobs.ts';
import type { FilesConfig } from '../schema.ts';
import { sendFile } from '../send-file.ts';
import type { LongWork } from '../tasks/long-work.ts';
import type { AccountTransfers } from '../../../kernel/kit/waiting/account-transfers.ts';
import { archiveStream } from './archive-stream.ts';
import { DownloadLinks } from './downloads.ts';
import type { Format } from './formats.ts';
import type { archiveRoutes } from './routes.ts';

interface Parts {
  readonly host: Pick<Host<FilesConfig>, 'jobs' | 'local' | 'identity' | 'config'>;
  readonly transfers: AccountTransfers;
  readonly work: LongWork;
}

/** Returns the handlers of `archiveRoutes`. */
export function archiveHandlers({ host, transfers, work }: Parts): Handlers<typeof archiveRoutes> {
  const { jobs, config } = host;
  const links = new DownloadLinks(host);
  const archive = async (account: Account, paths: readonly string[], format: Format) => {
    const end = transfers.begin(account.id);
    try {
      const chosen = inOneFolder(paths.map(work.belowRoot));
      const name = `${(chosen.names.length === 1 ? chosen.names : chosen.folder).at(-1) ?? 'files'}.${format}`;
      return await archiveStream(jobs, account, { ...chosen, format }, name, end);
    } catch (error) {
      end();
      throw error;
    }
  };
  return {
    compress: ({ account, body: { paths, to, format } }) => {
      const chosen = inOneFolder(paths.map(work.belowRoot));
      const input = { ...chosen, to: work.belowRoot(to), format: format as Format };
      return work.begin(account, 'compress', to, COMPRESS, input);
    },
    extract: ({ account, body: { from, to } }) => {
      const input = { from: work.belowRoot(from), to: work.belowRoot(to), ratio: config.archive_ratio };
      return work.begin(account, 'extract', to, EXTRACT, input);
    },
    newDownload: ({ account, body }) => {
      const { names } = inOneFolder(body.paths.map(work.belowRoot));
      if (body.format === null && names.length > 1)
        throw fail.invalid_request('several files are downloaded as an archive: name its format');
      return links.make(account, body);
    },
    download: async (call) => {
      const { account, request } = await links.open(call.params.ticket);
      const { paths, format } = request;
      if (format !== null) return archive(account, paths, format as Format);
      return sendFile({ jobs, transfers }, account, work.belowRoot(paths[0] ?? ''), call);
    },
  };
}

/** Returns the folder in which all paths lie, and their names. Errors: 400 `invalid_path` for several folders. */
function inOneFolder(paths: readonly (readonly string[])[]) {
  const folder = (paths[0] ?? []).slice(0, -1);
  const isBeside = (path: readonly string[]) =>
    path.length === folder.length + 1 && folder.every((name, i) => name === path[i]);
  if (!paths.every(isBeside)) throw fail.invalid_path('the paths must lie in one folder');
  return { folder, names: [...new Set(paths.map((path) => path.at(-1) ?? ''))] };
}
