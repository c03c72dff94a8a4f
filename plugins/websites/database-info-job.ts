import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import { findSettings, infoIn } from './database-info/config-reader.ts';
import { asText } from './database-info/php-value.ts';

export interface SiteFolder {
  readonly folder: readonly string[];
  /** The application's type, as detected. */
  readonly type: string;
}

/** Returns the database that a site's configuration names, and the kind of its server, if it says that; `null` if it names none. */
export default async function databaseInfo({ folder, type }: SiteFolder, { root }: JobContext) {
  const found = await findSettings(root, folder, type);
  if (found === undefined) return null;
  return { info: infoIn(found.settings, type), engine: asText(found.settings.engine) ?? '' };
}
