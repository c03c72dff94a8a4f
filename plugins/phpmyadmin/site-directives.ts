import { nginxScriptLimit, PHP_SOCKET, type SiteDirectives } from '../../kernel/contract/points/web-server-part.ts';
import { assertSocketBelongs } from '../../kernel/kit/net/account-socket.ts';
import { readInteger, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import { POOL, PROGRAM, SESSION_NAME, sessionPath } from './pools/session-pool.ts';

/** How a site serves a session. */
export interface SitePart {
  readonly name: string;
  readonly socket: string;
  readonly uploadMib: number;
}

/** Added to what a script may take, so that its own limit is what ends it. */
const READ_SECONDS = POOL.seconds + 15;
const SCRIPTS = ['index', 'url', 'js/messages'];
const SHOWN = String.raw`(?:js|themes)/.+\.(?:js|css|map|png|svg|gif|ico|woff2?|ttf)`;
/** For browsers, which take no other style sheets, whatever the web server knows. */
const TYPES = [
  ...[
    'text/css css',
    'text/javascript js',
    'application/json map',
    'image/png png',
    'image/svg+xml svg',
    'image/gif gif',
  ],
  ...['image/x-icon ico', 'font/woff woff', 'font/woff2 woff2', 'font/ttf ttf'],
];
/** See the CGI/1.1 specification; no header of a visitor becomes the proxy of a script. */
const PARAMETERS = [
  ...['GATEWAY_INTERFACE CGI/1.1', 'REQUEST_METHOD $request_method', 'QUERY_STRING $query_string'],
  ...['CONTENT_TYPE $content_type', 'CONTENT_LENGTH $content_length', 'SCRIPT_FILENAME $request_filename'],
  ...['SCRIPT_NAME $fastcgi_script_name', 'REQUEST_URI $request_uri', `DOCUMENT_ROOT ${PROGRAM}`],
  ...['SERVER_PROTOCOL $server_protocol', 'REQUEST_SCHEME $scheme', 'HTTPS $https if_not_empty'],
  ...['REMOTE_ADDR $remote_addr', 'REMOTE_PORT $remote_port', 'SERVER_NAME $server_name'],
  ...['SERVER_PORT $server_port', 'REDIRECT_STATUS 200', 'HTTP_PROXY ""'],
];

/** Nothing of the package is served but its scripts that visitors may call, and what a page shows. */
const directives: SiteDirectives<SitePart> = {
  read(part) {
    const { name, socket, uploadMib } = readMembers(part, ['name', 'socket', 'uploadMib']);
    return {
      name: readText(name, SESSION_NAME),
      socket: readText(socket, PHP_SOCKET),
      uploadMib: readInteger(uploadMib, 1, 65_535),
    };
  },
  nginx(part, { accountId }) {
    assertSocketBelongs(part.socket, accountId);
    const path = sessionPath(part.name);
    return [
      // what a site without PHP refuses to show does not concern these
      `if ($uri ~ "^${path}") {`,
      '    break;',
      '}',
      `location ^~ ${path} {`,
      `    alias ${PROGRAM}/;`,
      '    index index.php;',
      '    disable_symlinks off;',
      `    types { ${TYPES.join('; ')}; }`,
      `    client_max_body_size ${part.uploadMib + 1}m;`,
      `    location ~ "^${path}(?:${SCRIPTS.join('|')})\\.php$" {`,
      ...PARAMETERS.map((parameter) => `        fastcgi_param ${parameter};`),
      `        ${nginxScriptLimit(accountId)}`,
      `        fastcgi_pass "unix:${part.socket}";`,
      `        fastcgi_read_timeout ${READ_SECONDS}s;`,
      '    }',
      `    location ~ "^${path}(?!${SHOWN}$)." {`,
      '        return 404;',
      '    }',
      '}',
    ];
  },
  caddy(part, { accountId }) {
    assertSocketBelongs(part.socket, accountId);
    const path = sessionPath(part.name);
    return [
      `handle_path ${path}* {`,
      '\troute {',
      '\t\trewrite / /index.php',
      `\t\troot * ${PROGRAM}`,
      '\t\trequest_body {',
      `\t\t\tmax_size ${part.uploadMib + 1}MiB`,
      '\t\t}',
      `\t\t@script path ${SCRIPTS.map((name) => `/${name}.php`).join(' ')}`,
      `\t\treverse_proxy @script "unix/${part.socket}" {`,
      '\t\t\ttransport fastcgi {',
      `\t\t\t\troot ${PROGRAM}`,
      '\t\t\t\tsplit .php',
      `\t\t\t\tenv SCRIPT_NAME "${path.slice(0, -1)}{http.request.uri.path}"`,
      `\t\t\t\tread_timeout ${READ_SECONDS}s`,
      '\t\t\t}',
      '\t\t}',
      `\t\t@shown path_regexp ^/${SHOWN}$`,
      '\t\tfile_server @shown',
      '\t\trespond 404',
      '\t}',
      '}',
    ];
  },
};
export default directives;
