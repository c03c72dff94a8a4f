/** The thread that reads the accounts' files: listing folders and parsing PHP would hold up everybody else. */
import { serveRequests } from '../../kernel/concurrency/worker-script.ts';
import { readDatabaseInfo } from './database-info/config-reader.ts';
import { scanDocroot, type DocrootScan, type Stamps } from './detection/docroot-scan.ts';
import type { DatabaseInfo } from './schema.ts';

export interface DocrootRequest {
  readonly components: readonly string[];
  /** Paths below it that are docroots of other domains. */
  readonly excluded: readonly string[];
  readonly before: Stamps;
}
export type ScanRequest =
  | { readonly filesRoot: string; readonly docroots: readonly DocrootRequest[] }
  | { readonly filesRoot: string; readonly folder: readonly string[]; readonly type: string };
/** For docroots one look each, `undefined` where nothing changed. */
export type ScanReply = readonly (DocrootScan | undefined)[] | DatabaseInfo | undefined;

serveRequests<ScanRequest, ScanReply>(async (question) => {
  const { filesRoot } = question;
  if ('folder' in question) return readDatabaseInfo(filesRoot, question.folder, question.type);
  const looks: (DocrootScan | undefined)[] = [];
  for (const { components, excluded, before } of question.docroots)
    looks.push(await scanDocroot(filesRoot, components, new Set(excluded), before));
  return looks;
});
