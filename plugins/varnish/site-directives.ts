import type { SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { CACHE_DIGEST, CACHE_SOCKET, type SiteCache } from '../../kernel/areas/sites/site-cache.ts';
import { assertSocketBelongs } from '../../kernel/kit/net/account-socket.ts';
import { readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

/** Sends visitors to the cache of the account, and serves them itself while that does not answer. */
const directives: SiteDirectives<SiteCache> = {
  read(part) {
    const { socket, secretDigest } = readMembers(part, ['socket', 'secretDigest']);
    return { socket: readText(socket, CACHE_SOCKET), secretDigest: readText(secretDigest, CACHE_DIGEST) };
  },
  // nginx compares the digest of what the request says with the one that stands here
  nginxFirst: ({ secretDigest }) => [
    `secure_link "${secretDigest}";`,
    'secure_link_md5 "$http_x_hostkeep_cache";',
    'if ($secure_link) {',
    '    set $hostkeep_inner 1;',
    '}',
  ],
  nginx({ socket }, { accountId }) {
    assertSocketBelongs(socket, accountId);
    return [
      'location = /hostkeep-cache {',
      '    internal;',
      `    proxy_pass http://unix:${socket}:$request_uri;`,
      '    proxy_http_version 1.1;',
      '    proxy_set_header Connection "";',
      '    proxy_set_header Host $hostkeep_host;',
      '    proxy_set_header X-Hostkeep-Address $remote_addr;',
      '    proxy_set_header X-Hostkeep-Scheme $scheme;',
      '    proxy_set_header X-Hostkeep-Port $server_port;',
      '    proxy_set_header X-Hostkeep-Cache "";',
      '    proxy_read_timeout 600s;',
      // what comes is not collected
      '    proxy_max_temp_file_size 0;',
      // those of the site come with the answer, and are added only where a location has none of its own
      '    add_header X-Hostkeep "";',
      '    error_page 502 = @hostkeep-past-cache;',
      '}',
      'location @hostkeep-past-cache {',
      // nginx comes by what stands last again
      '    set $hostkeep_is_past 1;',
      '    set $args $hostkeep_args;',
      '    rewrite ^ $hostkeep_uri last;',
      '}',
    ];
  },
  nginxLast: () => [
    'set $hostkeep_uri $uri;',
    'set $hostkeep_args $args;',
    'if ($hostkeep_is_cached) {',
    '    rewrite ^ /hostkeep-cache? last;',
    '}',
  ],
  caddy: () => [], // no site is offered one there
};
export default directives;
