import { nginxScriptLimit, type SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { readBoolean, readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

/** A path, and where it leads now. */
export interface ProxyRule {
  /** See `PROXIED_PATH`. */
  readonly path: string;
  /** See `CONTAINER_ADDRESS`; empty while there is none. */
  readonly address: string;
  readonly port: number;
  readonly stripsPath: boolean;
}

/** How many a site has at most. */
export const MOST_PATHS = 20;
/** Nothing in it but the dot means anything to a web server's configuration. */
export const PROXIED_PATH = /^(?=.{1,255}$)(?:\/|(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)$/;
/** Of a private network (RFC 1918), where engines have theirs. */
export const CONTAINER_ADDRESS = /^$|^(?:10\.\d{1,3}|172\.(?:1[6-9]|2\d|3[01])|192\.168)(?:\.\d{1,3}){2}$/;

/** Passes requests on to containers, which answer for whatever is below a path. */
const directives: SiteDirectives<readonly ProxyRule[]> = {
  read: (part) =>
    readList(part, MOST_PATHS, (item) => {
      const { path, address, port, stripsPath } = readMembers(item, ['path', 'address', 'port', 'stripsPath']);
      return {
        path: readText(path, PROXIED_PATH),
        address: readText(address, CONTAINER_ADDRESS),
        port: readInteger(port, 1, 65_535),
        stripsPath: readBoolean(stripsPath),
      };
    }),
  nginx: (rules, { accountId }) =>
    rules.flatMap((rule) => {
      const { path, stripsPath } = rule;
      const body = (strips: boolean) => nginxBody(rule, accountId, strips).map((line) => `    ${line}`);
      // names that sites refuse are the application's own here
      const open = [`if ($uri ~ "${matching(path)}") {`, '    set $hostkeep_refuses 0;', '}'];
      // a regular expression, as the location / may be taken; it stands behind that of proofs, and before that of scripts
      if (path === '/') return [...open, 'location ~ ^/ {', ...body(false), '}'];
      const exact = stripsPath ? [`    return 308 ${path}/$is_args$args;`] : body(false);
      return [...open, `location = ${path} {`, ...exact, '}', `location ^~ ${path}/ {`, ...body(stripsPath), '}'];
    }),
  caddy: (rules) => rules.flatMap((rule, i) => caddyLines(rule, i, longer(rule, rules))),
};
export default directives;

const matching = (path: string) => (path === '/' ? '^/' : `^${path.replaceAll('.', '\\.')}(?:/|$)`);

function nginxBody({ address, port }: ProxyRule, accountId: number, strips: boolean): readonly string[] {
  if (address === '') return ['return 502;'];
  return [
    nginxScriptLimit(accountId),
    `proxy_pass http://${address}:${port}${strips ? '/' : ''};`,
    'proxy_http_version 1.1;',
    'proxy_set_header Host $hostkeep_host;',
    'proxy_set_header X-Real-IP $remote_addr;',
    'proxy_set_header X-Forwarded-For $remote_addr;',
    'proxy_set_header X-Forwarded-Host $hostkeep_host;',
    'proxy_set_header X-Forwarded-Proto $scheme;',
    // of WebSockets
    'proxy_set_header Upgrade $http_upgrade;',
    'proxy_set_header Connection $hostkeep_upgrades;',
    'proxy_connect_timeout 5s;',
    'proxy_read_timeout 600s;',
    // what comes is not collected
    'proxy_max_temp_file_size 0;',
  ];
}

/** Returns the paths below that of a rule for which other rules count. */
const longer = ({ path }: ProxyRule, rules: readonly ProxyRule[]) =>
  rules
    .filter((other) => other.path !== path && (path === '/' || other.path.startsWith(`${path}/`)))
    .map((other) => matching(other.path));

/**
 * Caddy orders directives by their names: `reverse_proxy` stands behind all that refuses or leads elsewhere, which `handle` and `route` would
 * pass by. It forwards the address, the scheme and the host of visitors by itself, and WebSockets, too.
 */
function caddyLines(
  { path, address, port, stripsPath }: ProxyRule,
  i: number,
  others: readonly string[],
): readonly string[] {
  const strips = stripsPath && path !== '/';
  const literal = path === '/' ? '' : path.replaceAll('.', '\\.');
  const matcher = [
    `@proxied${i} {`,
    `\tpath_regexp proxied${i} "^${literal}(/.*)?$"`,
    ...others.map((other) => `\tnot path_regexp "${other}"`),
    '}',
  ];
  if (address === '') return [...matcher, `error @proxied${i} 502`];
  return [
    ...matcher,
    ...(strips
      ? [
          `@bare${i} vars_regexp bare${i} {http.request.orig_uri} "^${literal}(\\?.*)?$"`,
          `redir @bare${i} "${path}/{re.bare${i}.1}" 308`,
        ]
      : []),
    `reverse_proxy @proxied${i} ${address}:${port} {`,
    '\theader_up X-Real-IP {remote_host}',
    ...(strips ? [`\trewrite "{re.proxied${i}.1}?{query}"`] : []),
    '}',
  ];
}
