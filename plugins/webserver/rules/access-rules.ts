import { createHash } from 'node:crypto';
import {
  ERROR_STATUSES,
  MOST_BLOCKED,
  MOST_LOCKS,
  MOST_USERS,
  type SiteAccess,
  type SiteLock,
} from '../../../kernel/contract/points/web-server-part.ts';
import { fail } from '../../../kernel/errors.ts';
import { isIpRange } from '../../../kernel/kit/net/ip.ts';
import { readInteger, readList, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';

/** A decoded path. Nothing in it, escaped as here, means anything to a web server's configuration. */
const PATH = /^(?=.{1,512}$)(?:\/(?!\.{1,2}(?:\/|$))[^\u0000-\u001f\u007f"'`\\$;{}#*?%/<>|^()[\]&\u2028\u2029]+)+$/u;
const ERROR_PATH = /^(?=.{1,512}$)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+\.html?$/;
const USER = /^[A-Za-z0-9._-]{1,64}$/;
/** A bcrypt of at most some milliseconds: the web server computes one for each request, and serves nobody else meanwhile. */
const HASH = /^\$2b\$0[4-8]\$[./A-Za-z0-9]{53}$/;

export const NO_ACCESS: SiteAccess = { blocked: [], locks: [], errorPages: [] };

/** Checks again who may see a site, whatever its plugin has checked. Errors: 400 `invalid_request`. */
export function readAccess(value: unknown): SiteAccess {
  const { blocked, locks, errorPages } = readMembers(value, ['blocked', 'locks', 'errorPages']);
  return {
    blocked: readList(blocked, MOST_BLOCKED, readRange),
    locks: readList(locks, MOST_LOCKS, (item) => {
      const { path, users } = readMembers(item, ['path', 'users']);
      return { path: readText(path, PATH), users: readList(users, MOST_USERS, readUser) };
    }),
    errorPages: readList(errorPages, ERROR_STATUSES.length, (item) => {
      const { status, path } = readMembers(item, ['status', 'path']);
      const known = ERROR_STATUSES.find((each) => each === readInteger(status, 400, 599));
      if (known === undefined) throw fail.invalid_request('no page is shown for this status');
      return { status: known, path: readText(path, ERROR_PATH) };
    }),
  };
}

function readUser(value: unknown) {
  const { name, hash } = readMembers(value, ['name', 'hash']);
  return { name: readText(name, USER), hash: readText(hash, HASH) };
}

function readRange(value: unknown): string {
  const range = readText(value, /^[0-9a-f.:]{2,45}(?:\/\d{1,3})?$/);
  if (!isIpRange(range)) throw fail.invalid_request('expected an address or a range of addresses');
  return range;
}

/** How a web server has a file of users: a line for each. */
export type UsersLine = (user: SiteLock['users'][number]) => string;

/** Returns the files of users that the virtual host of a site names: another content has another name. */
export function usersFiles({ locks }: SiteAccess, line: UsersLine): ReadonlyMap<string, string> {
  return new Map(locks.map(({ users }) => usersFile(users, line)));
}

function usersFile(users: SiteLock['users'], line: UsersLine): readonly [name: string, content: string] {
  const content = users.map((user) => `${line(user)}\n`).join('');
  return [`hostkeep-${createHash('sha256').update(content).digest('hex')}.users`, content];
}

/** Matches a folder and all below it, however many slashes are between; bytes, or letters, beyond ASCII by their numbers. */
function below(path: string, escape: (letter: string) => string): string {
  const literal = path
    .replace(/[.+]/g, '\\$&')
    .replaceAll('/', '/+')
    .replace(/[^\x20-\x7e]/gu, escape);
  return `^${literal}(?:/|$)`;
}
const inBytes = (letter: string) => [...Buffer.from(letter)].map((byte) => `\\x${byte.toString(16)}`).join('');
const inLetters = (letter: string) => `\\x{${letter.codePointAt(0)?.toString(16) ?? ''}}`;

interface AccessPlace {
  /** Where the files of users are. */
  readonly folder: string;
  /** The document root, as the web server sees it. */
  readonly docroot: string;
}

export const nginxLine: UsersLine = ({ name, hash }) => `${name}:${hash}`;

/** Renders directives of nginx. The last folder that holds a path counts, as the longest one stands last. */
export function nginxAccess({ blocked, locks, errorPages }: SiteAccess, { folder }: AccessPlace): string {
  const locked = sorted(locks).flatMap(({ path, users }) => [
    `if ($uri ~ "${below(path, inBytes)}") {`,
    '    set $hostkeep_realm Protected;',
    `    set $hostkeep_users "${folder}/${usersFile(users, nginxLine)[0]}";`,
    '}',
  ]);
  return [
    ...blocked.map((range) => `deny ${range};`),
    ...(locked.length === 0
      ? []
      : [
          'set $hostkeep_realm off;',
          'set $hostkeep_users "";',
          ...locked,
          'auth_basic $hostkeep_realm;',
          'auth_basic_user_file $hostkeep_users;',
        ]),
    ...errorPages.map(({ status, path }) => `error_page ${status} "${path}";`),
  ].join('\n    ');
}

export const caddyLine: UsersLine = ({ name, hash }) => `${name} ${Buffer.from(hash).toString('base64')}`;

/** Renders directives of Caddy, which asks for the password of each folder that holds a path. */
export function caddyAccess({ blocked, locks, errorPages }: SiteAccess, { folder, docroot }: AccessPlace): string {
  return [
    ...(blocked.length === 0 ? [] : [`@blocked remote_ip ${blocked.join(' ')}`, 'respond @blocked 403']),
    ...sorted(locks).flatMap(({ path, users }, i) => [
      `@locked${i} path_regexp "${below(path, inLetters)}"`,
      `basicauth @locked${i} bcrypt Protected {`,
      `\timport "${folder}/${usersFile(users, caddyLine)[0]}"`,
      '}',
    ]),
    ...(errorPages.length === 0
      ? []
      : [
          'handle_errors {',
          `\troot * "${docroot}"`,
          ...errorPages.flatMap(({ status, path }) => [
            `\t@status${status} expression {http.error.status_code} == ${status}`,
            `\trewrite @status${status} "${path}"`,
          ]),
          '\tfile_server',
          '}',
        ]),
  ].join('\n\t');
}

const sorted = (locks: readonly SiteLock[]) => locks.toSorted((a, b) => a.path.length - b.path.length);
