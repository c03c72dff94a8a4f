import type { SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { fail } from '../../kernel/errors.ts';
import { isIpRange } from '../../kernel/kit/net/ip.ts';
import { readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

/** A folder of a site that only some may see. */
interface SiteLock {
  /** The decoded path, without a slash at its end. */
  readonly path: string;
  /** Their names, and the bcrypt of their passwords. */
  readonly users: readonly { readonly name: string; readonly hash: string }[];
}

/** Who may see a site, and what those see who get an error. */
export interface SiteAccess {
  /** Addresses and ranges whose visitors get 403. */
  readonly blocked: readonly string[];
  readonly locks: readonly SiteLock[];
  readonly errorPages: readonly { readonly status: (typeof ERROR_STATUSES)[number]; readonly path: string }[];
}

/** The errors for which a site may have a page of its own. */
export const ERROR_STATUSES = [403, 404, 500, 502, 503, 504] as const;
/** The most that a site has of each: the web server looks through all at each request. */
export const MOST_BLOCKED = 500;
export const MOST_LOCKS = 20;
export const MOST_USERS = 50;
/** Of a site of its own that an error shows. */
export const ERROR_PATH = /^(?=.{1,512}$)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+\.html?$/;
export const USER = /^[A-Za-z0-9._-]{1,64}$/;
/** A decoded path. Nothing in it, escaped as here, means anything to a web server's configuration. */
const PATH = /^(?=.{1,512}$)(?:\/(?!\.{1,2}(?:\/|$))[^\u0000-\u001f\u007f"'`\\$;{}#*?%/<>|^()[\]&\u2028\u2029]+)+$/u;
/** A bcrypt of at most some milliseconds: the web server computes one for each request, and serves nobody else meanwhile. */
const HASH = /^\$2b\$0[4-8]\$[./A-Za-z0-9]{53}$/;

const directives: SiteDirectives<SiteAccess> = {
  stands: 'guard',
  read(part) {
    const { blocked, locks, errorPages } = readMembers(part, ['blocked', 'locks', 'errorPages']);
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
  },
  // The last folder that holds a path counts, as the longest one stands last.
  nginx({ blocked, locks, errorPages }, { usersFile }) {
    const locked = sorted(locks).flatMap(({ path, users }) => [
      `if ($uri ~ "${below(path, inBytes)}") {`,
      '    set $hostkeep_realm Protected;',
      `    set $hostkeep_users "${usersFile(inLines(users, ({ name, hash }) => `${name}:${hash}`))}";`,
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
    ];
  },
  // It asks for the password of each folder that holds a path.
  caddy: ({ blocked, locks, errorPages }, { usersFile, docroot }) => [
    [
      ...(blocked.length === 0 ? [] : [`@blocked remote_ip ${blocked.join(' ')}`, 'respond @blocked 403']),
      ...sorted(locks).flatMap(({ path, users }, i) => [
        `@locked${i} path_regexp "${below(path, inLetters)}"`,
        `basicauth @locked${i} bcrypt Protected {`,
        `\timport "${usersFile(inLines(users, ({ name, hash }) => `${name} ${Buffer.from(hash).toString('base64')}`))}"`,
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
    ].join('\n\t'),
  ],
};
export default directives;

function readUser(value: unknown) {
  const { name, hash } = readMembers(value, ['name', 'hash']);
  return { name: readText(name, USER), hash: readText(hash, HASH) };
}

function readRange(value: unknown): string {
  const range = readText(value, /^[0-9a-f.:]{2,45}(?:\/\d{1,3})?$/);
  if (!isIpRange(range)) throw fail.invalid_request('expected an address or a range of addresses');
  return range;
}

type User = SiteLock['users'][number];
const inLines = (users: readonly User[], line: (user: User) => string) =>
  users.map((user) => `${line(user)}\n`).join('');

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

const sorted = (locks: readonly SiteLock[]) => locks.toSorted((a, b) => a.path.length - b.path.length);
