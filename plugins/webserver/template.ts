import { createHash } from 'node:crypto';
import { HttpError } from '../../kernel/errors.ts';

/** What a virtual host is made of. Paths are those of this host. */
export interface Site {
  readonly domain: string;
  readonly docroot: string;
  readonly files_root: string;
  readonly username: string;
  readonly listen: string;
}

const KEYS = ['domain', 'docroot', 'files_root', 'username', 'listen'] as const satisfies readonly (keyof Site)[];
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST_NAME = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+${LABEL}$`);
/** Whatever nginx or Caddy would read as something else than a part of a quoted path. */
const UNQUOTABLE = /[\u0000-\u001f\u007f"'`$;{}\\#*?\u2028\u2029]/;
export const HEADER = '# Written by Hostkeep, which overwrites it.\n';
/** Longest domain that is a file's name as it is; file systems take 255 bytes. */
const LONGEST_PLAIN = 200;
const PREFIX = 'hostkeep-';
const EXTENSION = '.conf';

/** Text of a virtual host's file. The template is checked once: throws for a placeholder that nobody fills. */
export function compileTemplate(source: string): (site: Site) => string {
  const unknown = [...source.matchAll(/\{\{(.*?)\}\}/g)].find(([, key = '']) => !KEYS.some((known) => known === key));
  if (unknown !== undefined) throw new Error(`the template of virtual hosts has the unknown placeholder ${unknown[0]}`);
  if (!source.includes('{{domain}}')) throw new Error('the template of virtual hosts does not hold {{domain}}');
  return (site) => {
    assertQuotable(site);
    return HEADER + source.replace(/\{\{(\w+)\}\}/g, (_, key: keyof Site) => site[key]);
  };
}

/** Everything that reaches a template passes here, whoever checked it before. Errors: 400 `invalid_domain`, `invalid_docroot`. */
function assertQuotable({ domain, docroot, files_root: filesRoot, username }: Site): void {
  if (!HOST_NAME.test(domain)) throw new HttpError('invalid_domain', 'the web server cannot serve this name');
  if (!/^[a-z0-9_-]+$/.test(username))
    throw new Error(`the user name ${JSON.stringify(username)} cannot be written into a virtual host`);
  const bad = UNQUOTABLE.exec(docroot) ?? UNQUOTABLE.exec(filesRoot);
  if (bad !== null)
    throw new HttpError(
      'invalid_docroot',
      `the web server cannot serve a folder whose path holds ${JSON.stringify(bad[0])}`,
    );
}

/** Name of a domain's file: the domain itself between prefix and extension, shortened and with a digest where it is too long. */
export function fileNameOf(domain: string): string {
  const digest = createHash('sha256').update(domain).digest('hex').slice(0, 32);
  return `${PREFIX}${domain.length <= LONGEST_PLAIN ? domain : `${domain.slice(0, LONGEST_PLAIN - 40)}-${digest}`}${EXTENSION}`;
}

/** No domain has this file, because a domain has a dot. */
export const BEACON_FILE = `${PREFIX}beacon${EXTENSION}`;

/** Whether a file of the folder is a virtual host of ours; others are the operator's and left alone. */
export function isOurs(name: string): boolean {
  return name.startsWith(PREFIX) && name.endsWith(EXTENSION) && name !== BEACON_FILE;
}
