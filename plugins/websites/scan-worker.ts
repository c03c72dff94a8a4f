/** The thread that reads the accounts' files, because listing folders and parsing PHP would block the event loop. */
import { serveRequests } from '../../kernel/concurrency/worker-script.ts';
import { readDatabaseInfo } from './database-info/config-reader.ts';
import { scanDocroot, type DocrootScan, type Stamps } from './detection/docroot-scan.ts';
import type { DatabaseInfo } from './schema.ts';

interface DocrootRequest {
  readonly components: readonly string[];
  /** Paths below the docroot that are docroots of other domains. */
  readonly excluded: readonly string[];
  /** The stamps of the last scan. */
  readonly before: Stamps;
}
export type ScanRequest =
  | { readonly filesRoot: string; readonly docroots: readonly DocrootRequest[] }
  | { readonly filesRoot: string; readonly folder: readonly string[]; readonly type: string };
/** One scan for each docroot, `undefined` where nothing changed; or the answer for the folder of one site. */
export type ScanReply = readonly (DocrootScan | undefined)[] | DatabaseInfo | undefined;

serveRequests<ScanRequest, ScanReply>(async (request) => {
  const { filesRoot } = request;
  if ('folder' in request) return readDatabaseInfo(filesRoot, request.folder, request.type);
  const scans: (DocrootScan | undefined)[] = [];
  for (const { components, excluded, before } of request.docroots)
    scans.push(await scanDocroot(filesRoot, components, new Set(excluded), before));
  return scans;
});
