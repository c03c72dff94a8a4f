import { MOST_BODY_MIB, MOST_NAMES } from '../../../kernel/contract/points/web-server-part.ts';
import {
  readAccount,
  readBoolean,
  readInteger,
  readList,
  readMembers,
  readText,
} from '../../../kernel/kit/verb-arguments.ts';
import { fail } from '../../../kernel/errors.ts';
import { readSitePhp } from '../rules/php-rules.ts';
import { readParts } from '../rules/site-parts.ts';
import type { Site } from './template.ts';
import { BEACON_FILE, isVhostFile } from './vhost-folder.ts';

/** A virtual host to write, or a file to remove. */
export type VhostChange = { readonly site: Site } | { readonly file: string };

/** A path component; which characters a web server's file may hold is checked when it is written. */
const COMPONENT = /^(?!\.{1,2}$)[^/\0]{1,255}$/;
const FILE = /^[^/\0]{1,255}$/;
const CERTIFICATE = /^(?:hostkeep-[0-9a-f]{64}\.pem)?$/;

const readName = (name: unknown) => readText(name, /^[^\0]{1,255}$/);

/** Checks a change again, whatever its caller has checked. Errors: 400 `invalid_request`. */
export function readChange(given: unknown): VhostChange {
  if (typeof given === 'object' && given !== null && 'file' in given) {
    const file = readText(readMembers(given, ['file']).file, FILE);
    if (isVhostFile(file) || file === BEACON_FILE) return { file };
    throw fail.invalid_request(`${file} is not a virtual host's`);
  }
  const names = [
    ...(['domain', 'account', 'components', 'isSuspended', 'names', 'previews'] as const),
    ...(['php', 'bodyMib', 'certificate', 'parts'] as const),
  ];
  const site = readMembers(readMembers(given, ['site']).site, names);
  const account = readAccount(site.account);
  return {
    site: {
      domain: readName(site.domain), // checked when it is written
      account,
      components: readList(site.components, 100, (name) => readText(name, COMPONENT)),
      isSuspended: readBoolean(site.isSuspended),
      names: readList(site.names, MOST_NAMES + 1, readName), // as the domain; with `www.`
      previews: readList(site.previews, 1, readName),
      php: site.php === null ? null : readSitePhp(site.php, account.id),
      bodyMib: site.bodyMib === null ? null : readInteger(site.bodyMib, 1, MOST_BODY_MIB),
      certificate: readText(site.certificate, CERTIFICATE),
      parts: readParts(site.parts),
    },
  };
}
