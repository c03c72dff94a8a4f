/** The thread that reads the accounts' files: listing folders and parsing PHP would hold up everybody else. */
import { serveRequests } from '../../kernel/concurrency/worker-script.ts';
import { readDatabaseInfo } from './config-reader.ts';
import { lookInto, type Look, type Stamps } from './finder.ts';
import type { DatabaseInfo } from './schema.ts';

export interface DocrootToLookInto {
  readonly components: readonly string[];
  /** Paths below it that are docroots of other domains. */
  readonly foreign: readonly string[];
  readonly before: Stamps;
}
export type Question =
  | { readonly filesRoot: string; readonly docroots: readonly DocrootToLookInto[] }
  | { readonly filesRoot: string; readonly folder: readonly string[]; readonly type: string };
/** For docroots one look each, `undefined` where nothing changed. */
export type LookerAnswer = readonly (Look | undefined)[] | DatabaseInfo | undefined;

serveRequests<Question, LookerAnswer>(async (question) => {
  const { filesRoot } = question;
  if ('folder' in question) return readDatabaseInfo(filesRoot, question.folder, question.type);
  const looks: (Look | undefined)[] = [];
  for (const { components, foreign, before } of question.docroots)
    looks.push(await lookInto(filesRoot, components, new Set(foreign), before));
  return looks;
});
