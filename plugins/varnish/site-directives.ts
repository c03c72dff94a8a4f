import type { SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { CACHE_HOST, CACHE_KEY, CACHE_SOCKET, type SiteCache } from '../../kernel/contract/sites/site-cache.ts';
import { fail } from '../../kernel/errors.ts';
import { readInteger, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

/** As Varnish is to know a visitor's request: the same headers wherever it goes. */
const PASSED = [
  'proxy_http_version 1.1;',
  'proxy_set_header Connection "";',
  'proxy_set_header Host $hostkeep_host;',
  'proxy_set_header X-Hostkeep-Address $remote_addr;',
  'proxy_set_header X-Hostkeep-Scheme $scheme;',
  'proxy_set_header X-Hostkeep-Port $server_port;',
  'proxy_read_timeout 600s;',
  // what comes is not collected
  'proxy_max_temp_file_size 0;',
  // those of the site come with the answer, and are added only where a location has none of its own
  'add_header X-Hostkeep "";',
];

/** Sends visitors to the cache of the account, and past it while it does not answer. */
const directives: SiteDirectives<SiteCache> = {
  read(part) {
    const { socket, key, host, port } = readMembers(part, ['socket', 'key', 'host', 'port']);
    return {
      socket: readText(socket, CACHE_SOCKET),
      key: readText(key, CACHE_KEY),
      host: readText(host, CACHE_HOST),
      port: readInteger(port, 1, 65_535),
    };
  },
  nginxFirst: ({ key }) => [`if ($http_x_hostkeep_cache = ${key}) {`, '    set $hostkeep_inner 1;', '}'],
  nginx({ socket, key, host, port }, { accountId }) {
    if (socket.split('/').at(-2) !== String(accountId))
      throw fail.invalid_request(`${socket} is not a socket of the account ${accountId}`);
    const within = (lines: readonly string[]) => lines.map((line) => `    ${line}`);
    const address = host.includes(':') ? `[${host}]` : host;
    return [
      'if ($hostkeep_is_cached) {',
      '    rewrite ^ /hostkeep-cache? last;',
      '}',
      'location = /hostkeep-cache {',
      ...within(['internal;', `proxy_pass http://unix:${socket}:$request_uri;`, ...PASSED]),
      ...within(['proxy_set_header X-Hostkeep-Cache "";', 'error_page 502 = @hostkeep-past-cache;']),
      '}',
      'location @hostkeep-past-cache {',
      ...within([`proxy_pass http://${address}:${port}$request_uri;`, ...PASSED]),
      ...within([`proxy_set_header X-Hostkeep-Cache ${key};`]),
      '}',
    ];
  },
  caddy: () => [], // no site is offered one there
};
export default directives;
