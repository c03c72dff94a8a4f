import {
  FRONT_FOLDER,
  MOST_BODY_MIB,
  MOST_FRONTS,
  nginxScriptLimit,
  PHP_SOCKET,
  type SitePhp,
} from '../../../kernel/contract/points/web-server-part.ts';
import { assertSocketBelongs } from '../../../kernel/kit/net/account-socket.ts';
import { readInteger, readList, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';

/** Added to what a script may take, so that its own limit is what ends it. */
const GRACE_SECONDS = 15;
/** Sources, and what editors and copies make of their names; nginx-common.conf has the same. */
const SOURCE = String.raw`(?i)(\.(php[0-9]?|phps|phtml?|pht|phar|inc)([^a-z0-9/][^/]*)?|/wp-config[^/]*)$`;

/** Checks again where an account's scripts run, whatever its plugin has checked. Errors: 400 `invalid_request`. */
export function readSitePhp(value: unknown, accountId: number): SitePhp {
  const given = readMembers(value, ['socket', 'bodyMib', 'seconds', 'fronts']);
  const socket = readText(given.socket, PHP_SOCKET);
  assertSocketBelongs(socket, accountId);
  return {
    socket,
    bodyMib: readInteger(given.bodyMib, 1, MOST_BODY_MIB),
    seconds: readInteger(given.seconds, 1, 86_400),
    // that of the longer path counts
    fronts: readList(given.fronts, MOST_FRONTS, (folder) => readText(folder, FRONT_FOLDER))
      .toSorted()
      .toReversed(),
  };
}

export const nginxBody = (mib: number): string => `client_max_body_size ${mib}m;`;
export const caddyBody = (mib: number): string => `request_body {\n\t\tmax_size ${mib}MiB\n\t}`;

/**
 * Sends what is no file to the index of the site, or of the application in whose folder it would be, as most expect. What scripts
 * say goes into no log that sites share: they choose the bytes, and could forge lines of another site.
 */
export function nginxPhp(php: SitePhp | null, errorLog?: string): string {
  if (php === null) return 'if ($hostkeep_refuses = php) {\n        return 404;\n    }';
  return [
    'index index.php;',
    'location / {',
    `    try_files $uri $uri/ ${php.fronts.length === 0 ? '/index.php?$args' : '@hostkeep-front'};`,
    '}',
    ...(php.fronts.length === 0
      ? []
      : [
          'location @hostkeep-front {',
          ...php.fronts.map((folder) => `    rewrite "^/${folder.replaceAll('.', '\\.')}/" /${folder}/index.php last;`),
          '    rewrite ^ /index.php last;',
          '}',
        ]),
    'location ~ \\.php$ {',
    '    try_files $uri =404;',
    `    ${nginxScriptLimit(Number(php.socket.split('/').at(-2)))}`,
    `    fastcgi_pass "unix:${php.socket}";`,
    ...(errorLog === undefined ? [] : [`    error_log "${errorLog}" crit;`]),
    `    fastcgi_read_timeout ${php.seconds + GRACE_SECONDS}s;`,
    '}',
  ].join('\n    ');
}

/** Has scripts opened where they are on this host, which may not be where Caddy sees the files. */
export function caddyPhp(php: SitePhp | null, docroot: string): string {
  const refused = [
    '@source {',
    `\tpath_regexp ${SOURCE}`,
    `\tnot path *.html *.htm${php === null ? '' : ' *.php'}`,
    '}',
    'respond @source 404',
  ];
  if (php === null) return refused.join('\n\t');
  return [
    ...refused,
    '@settings path_regexp (?i)/wp-config[^/]*$',
    'respond @settings 404',
    ...[...php.fronts, ''].flatMap((folder) => [
      `php_fastcgi ${folder === '' ? '' : `/${folder}/* `}"unix/${php.socket}" {`,
      `\troot "${docroot}"`,
      `\tread_timeout ${php.seconds + GRACE_SECONDS}s`,
      ...(folder === '' ? [] : [`\ttry_files {path} {path}/index.php /${folder}/index.php`]),
      '}',
    ]),
  ].join('\n\t');
}
