import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { readDatabaseInfo } from './database-info/config-reader.ts';
import type { DatabaseInfo } from './schema.ts';

interface SiteFolder {
  readonly folder: readonly string[];
  /** The application's type, as detected. */
  readonly type: string;
}

/** Returns the database that a site's configuration names; `null` if it names none. */
export default async function databaseInfo(
  { folder, type }: SiteFolder,
  { root }: JobContext,
): Promise<DatabaseInfo | null> {
  return (await readDatabaseInfo(root, folder, type)) ?? null;
}
