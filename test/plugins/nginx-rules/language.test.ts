import * as assert from '../../support/assert.ts';
import { patternCost } from '../../../plugins/nginx-rules/language/pattern-cost.ts';
import { MOST_CHARACTERS, readRules } from '../../../plugins/nginx-rules/language/rules.ts';
import directives from '../../../plugins/nginx-rules/site-directives.ts';
import { sitePlace } from '../../support/site-place.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('nginx directives of owners');

/** Returns the lines for nginx but those that stand before all others. */
function written(text: string): string[] {
  const { lines, faults } = readRules(text);
  assert.equal(faults, [], text);
  return lines.slice(9).map((line) => line.text.trim());
}
const refused = (text: string) => readRules(text).faults.map(({ line, message }) => `${line}: ${message}`);
function isRefused(text: string, reason: RegExp): void {
  const faults = refused(text);
  assert.ok(faults.length > 0, `taken: ${text}`);
  assert.match(faults[0] ?? '', reason, text);
}

// threat shell-injection: what an owner of a site writes is no directive that reads, writes or runs anything
test('directives that name files, programs, servers or modules are refused', () => {
  for (const line of [
    ...['root /etc;', 'alias /etc/;', 'include /etc/passwd;', 'proxy_pass http://127.0.0.1:1;', 'load_module x.so;'],
    ...['fastcgi_pass unix:/run/b.sock;', 'access_log /tmp/x;', 'error_log /tmp/x;', 'auth_basic_user_file /etc/x;'],
    ...['set $hostkeep_users /etc/shadow;', 'set $a b;', 'disable_symlinks off;', 'autoindex on;', 'perl "sub {}";'],
    ...['ssl_certificate_key /etc/x;', 'client_body_temp_path /tmp;', 'add_header A b;', 'internal;', 'satisfy any;'],
    ...['modsecurity off;', 'auth_basic off;', 'error_page 404 /x;', 'js_content a;', 'break;', 'listen 1;'],
    ...['server_name b.example;', 'resolver 10.0.0.1;', 'mirror /x;', 'dav_methods PUT;', 'stub_status;'],
  ]) {
    isRefused(line, /^1: \w+ is none of the directives that can be used$/);
    isRefused(`location /a {\n${line}\n}`, /^2: \w+ is none of the directives/);
  }
  for (const block of ['server { }', 'types { }', 'limit_except GET { deny all; }', 'http { }', 'map a b { }'])
    isRefused(block, /ends with a semicolon/);
});

test('what a word or a block could hide is refused', () => {
  for (const [text, reason] of [
    ['deny all; }', /^1: nothing is open/],
    ['} server {', /^1: nothing is open/],
    ['location /a { deny all;', /^1: a block that begins here is not closed/],
    ['deny all', /ends with a semicolon/],
    ['deny "all', /a quoted word ends on its line/],
    ['deny "all\n";', /a quoted word ends on its line/],
    ['deny "all"x;', /a space is missing/],
    ['{ }', /a directive has a name before \{/],
    ['deny al\u0000l;', /there is a character that no text has/],
    ['deny\n\u001ball;', /^2: there is a character/],
    ['deny all;\ndeny \ud800;', /^2: there is a character/],
    ['location /a { location /b { deny all; } }', /stands in no other block/],
    ['location @named { deny all; }', /a path that begins with a slash/],
    ['location / { deny all; }', /is that of the site/],
    ['location /hostkeep-closed.html { deny all; }', /used by the server itself/],
    ['location ^~ /.well-known/ { deny all; }', /used by the server itself/],
    ['location /.well-known/acme-challenge { deny all; }', /used by the server itself/],
    ['location /a b c { deny all; }', /has the form location/],
    ['location /"$x" { deny all; }', /a path that begins/],
    ['location;', /has a block in braces/],
    ['deny all { }', /ends with a semicolon/],
    ['if ($uri ~ "a") { if ($uri ~ b) { return 404; } }', /an if stands in no other if/],
    ['if ($uri ~ "a") { deny all; }', /an if holds only rewrite and return/],
    ['if (-f /etc/passwd) { return 204; }', /a test of files has the form/],
    ['if (-d $arg_x) { return 204; }', /a test of files has the form/],
    ['if (!-x $request_filename) { return 204; }', /a condition has the form/],
    ['if $uri { return 204; }', /is in parentheses/],
    ['if () { return 204; }', /is in parentheses/],
    ['if ($uri = a b) { return 204; }', /a condition has the form/],
    ['if ($uri < 3) { return 204; }', /compares by/],
    ['if ($HOSTKEEP_users) { return 204; }', /none of the variables/],
    ['if ($hostkeep_users) { return 204; }', /none of the variables/],
    ['if ($args = $document_root) { return 204; }', /none of the variables/],
    ['return 200 $realpath_root;', /none of the variables/],
    ['return 200 "${ssl_server_name}";', /none of the variables/],
    ['return 200 "$";', /a dollar sign stands before/],
    ['return 301 //evil.example/;', /a target begins/],
    ['return 99;', /from 200 to 599|a target begins/],
    ['return 200 a b;', /return has the form/],
    ['rewrite ^/a /b break;', /rewrite has the form/],
    ['rewrite ^/a unix:/x;', /a target begins/],
    ['rewrite ^/a ftp://x/;', /a target begins/],
    ['try_files $uri =404;', /try_files stands in a location/],
    ['location /a { try_files /x.php =404; }', /but no scripts/],
    ['location /a { try_files $uri.PHP =404; }', /but no scripts/],
    ['location /a { try_files $arg_x =404; }', /but no scripts/],
    ['location /a { try_files $uri @other; }', /ends with a path or a status/],
    ['location /a { try_files $uri; }', /has the form/],
    ['expires 1d;', /expires stands in a location/],
    ['allow 10.0.0.0/99;', /has the form allow/],
    ['allow unix:;', /has the form allow/],
    ['gzip on off;', /has the form gzip/],
    ['gzip;', /has the form gzip/],
    ['valid_referers ~evil;', /has the form valid_referers/],
  ] as const)
    isRefused(text, reason);
});

// threat crowding-out: nginx serves nobody while it tries a pattern, so none may cost much, whatever is sent
test('patterns that could take long are refused, and usual ones are taken', () => {
  for (const [pattern, reason] of [
    ['^(a+)+$', /not groups/],
    ['^(a|a)*b', /not groups/],
    ['^(?:ab){2}', /not groups/],
    ['^/(.*)-(.*)x$', /of two repetitions/],
    ['^/.*.*x', /of two repetitions/],
    ['^/a*a*a*b', /of two repetitions/],
    ['^/(\\d+)(\\d+)(x|y)', /of two repetitions/],
    ['^/(a+)(b)?a+a+c', /of two repetitions/],
    ['^/[a-z]+[A-Z]+b', /of two repetitions/],
    ['[a-z]+$', /begins with \^/],
    ['^a|b+$', /begins with \^/],
    ['(^a+)$', /begins with \^/],
    ['(a|a)'.repeat(10), /1000 ways/],
    ['a?'.repeat(10) + 'a', /1000 ways/],
    ['^' + 'a{0,9}'.repeat(5), /1000 ways/],
    ['^/a{101}', /100 times/],
    ['^/a{2,1}', /100 times/],
    ['a{,5}', /a { that repeats nothing/],
    ['a**', /stands after/],
    ['^*', /stands after/],
    ['(?<n>a)', /has no \(\?</],
    ['(?>a)', /has no \(\?>/],
    ['(?i)a', /has no \(\?i/],
    ['(?R)', /has no \(\?R/],
    ['(*UTF8)a', /stands after/],
    ['(a)\\1', /has no \\1/],
    ['\\K', /has no \\K/],
    ['\\Qa\\E', /has no \\Q/],
    ['a\\', /has no \\/],
    ['(a', /closes each group/],
    ['a)', /closes each group/],
    ['[a', /closes each class/],
    ['[[:alpha:]]', /a \[ in a class/],
    ['[!-~]', /a range has letters/],
    ['a'.repeat(501), /500 characters/],
  ] as const)
    assert.match(patternCost(pattern).fault ?? 'taken', reason, pattern);
  for (const [pattern, isSquare] of [
    ['^/(.*)$', false],
    ['^/([^/]+)/([^/]+)/?$', false],
    ['^/(\\d{4})/(\\d{2})/([a-z0-9-]+)\\.html$', false],
    ['\\.(?:css|m?js|jpe?g|png|svg|woff2?)$', false],
    ['(?:badbot|evil spider)', false],
    ['^/(?!wp-admin)(.*)$', false],
    ['^/(.+)/page/(\\d+)/?$', true],
    ['^(?!.*\\.html).*$', true],
    ['^/(.+)[.]html$', true],
    ['^/[^]/]*\\]', false],
    ['^/(a+)(b)?a+c', true],
    ['^', false],
  ] as const)
    assert.equal(patternCost(pattern), { isSquare }, pattern);
});

test('what is taken is written anew, so that it means the same to nginx', () => {
  const text = String.raw`
# a comment; with { marks
rewrite  ^/old/(.*)$   /new/$1?a="b"  permanent;   deny all;
rewrite "^/y/(\d{4})" '/y?n="$1"' last;
if ( $http_user_agent ~* "(?:bad|evil) bot" ) { return 403; }
if ($args = "") { return 204 ""; }
if ($cookie_PHPSESSID) { return 202; }
if ($invalid_referer) { return 302 https://$host/; }
location ~* \.(?:css|js)$ { expires max; gzip_types text/css text/plain; }
location /docs/ { try_files $uri $uri/ /docs/index.html?$args; if (!-e $request_filename) { return 404; } }`;
  assert.equal(written(text), [
    String.raw`rewrite "^/old/(.*)$" "/new/$1?a=\"b\"" "permanent";`,
    'deny "all";',
    String.raw`rewrite "^/y/(\\d{4})" "/y?n=\"$1\"" "last";`,
    ...['if ($http_user_agent ~* "(?:bad|evil) bot") {', 'return "403";', '}'],
    ...['if ($args = "") {', 'return "204" "";', '}'],
    ...['if ($cookie_PHPSESSID) {', 'return "202";', '}'],
    ...['if ($invalid_referer) {', 'return "302" "https://$host/";', '}'],
    String.raw`location ~* "\\.(?:css|js)$" {`,
    ...['if ($hostkeep_refuses) {', 'return 404;', '}', 'expires "max";', 'gzip_types "text/css" "text/plain";', '}'],
    ...['location "/docs/" {', 'try_files "$uri" "$uri/" "/docs/index.html?$args";'],
    ...['if (!-e $request_filename) {', 'return "404";', '}', '}'],
  ]);
  assert.equal(written(''), []);
  assert.equal(written(' # only words\n'), []);
});

test('a text has so many characters, directives, patterns and faults at most', () => {
  assert.equal(refused('#'.repeat(MOST_CHARACTERS + 1)), ['1: there can be 8192 characters at most']);
  assert.equal(refused('deny all;\n'.repeat(201)), ['201: there can be 200 directives at most']);
  assert.equal(refused('rewrite ^/a /b;\n'.repeat(51)), ['51: there can be 50 patterns at most']);
  assert.match(refused('rewrite ^/.*a /b;\n'.repeat(6))[0] ?? '', /^6: in 5 patterns at most/);
  assert.is(refused('root /;\n'.repeat(100)).length, 50);
  assert.ok((refused(`${'a'.repeat(5000)};`)[0] ?? '').length < 200);
  assert.is(refused('{'.repeat(8192)).length, 1);
  assert.is(refused(`${'if (a) {'.repeat(1000)}`).length, 1);
});

// threat stolen-service: the process with rights takes no directive that an owner could not write
test('what renders directives reads them again', () => {
  const place = sitePlace();
  const lines = directives.read({ text: 'deny all;' });
  assert.is(directives.nginx(lines, { ...place, runsPhp: true }).at(-1), 'deny "all";');
  assert.is(directives.nginx(lines, place).filter((line) => line === 'location / {').length, 1);
  assert.equal(directives.nginx([], place), []);
  assert.equal(directives.caddy(lines, place), []);
  for (const part of [
    { text: 'root /;' },
    { text: '}' },
    { text: 1 },
    { text: 'deny all;', more: 1 },
    {},
    ['deny all;'],
  ])
    assert.throws(() => directives.read(part), undefined, JSON.stringify(part));
});
