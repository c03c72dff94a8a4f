import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { UnfinishedFiles } from '../../kernel/kit/files/unfinished/unfinished-files.ts';
import type { JobContext } from '../../kernel/kit/jobs/job.ts';
import type { SiteFolder } from './database-info-job.ts';
import { findSettings, infoIn } from './database-info/config-reader.ts';
import { withLogin, type NewLogin } from './database-login/rewriting.ts';
import { fail } from './errors.ts';
import type { DatabaseInfo } from './schema.ts';

interface LoginInput extends SiteFolder {
  /** The settings that the file had when the login was chosen. */
  readonly before: DatabaseInfo;
  readonly login: NewLogin;
}

/**
 * Writes a login into a site's configuration, after the caller has made it hold at the server. Errors: 403 `permission_denied`, 409
 * `login_not_literal`, 412 `file_changed`, 507 `no_space`, those of `findSettings` and of the caller.
 */
export default async function writeLogin({ folder, type, before, login }: LoginInput, context: JobContext) {
  const found = await findSettings(context.root, folder, type);
  if (found === undefined || !isDeepStrictEqual(infoIn(found.settings, type), before))
    throw fail.file_changed('the configuration file was changed meanwhile');
  const { components, etag } = found;
  const files = new UnfinishedFiles(context.root);
  const target = { components, expected: { etag } };
  await files.replace(randomUUID(), target, withLogin(found, login), () => context.ask(null));
  return null;
}
