import * as assert from '../../support/assert.ts';
import directives, { type SiteAccess } from '../../../plugins/site-access/site-directives.ts';
import { sitePlace } from '../../support/site-place.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('site-access: directives');
const [hash, costly] = ['06', '15'].map((cost) => `$2b$${cost}$${'a'.repeat(53)}`);
const USERS = [{ name: 'jane', hash: hash ?? '' }];
const ACCESS: SiteAccess = {
  blocked: ['192.0.2.0/24'],
  locks: [
    { path: '/a/b.c', users: USERS },
    { path: '/ü', users: USERS },
  ],
  errorPages: [{ status: 404, path: '/404.html' }],
};

// threat stolen-service: what a stolen service has rendered of a site means nothing more to the web server
test('who may see a site is checked again before it is rendered', () => {
  for (const change of [
    { blocked: ['all; return 200'] },
    { blocked: ['192.0.2.0/33'] },
    ...['/a";}', '/a/../b', '/a\n', 'a', '/a/', '/$uri'].map((path) => ({ locks: [{ path, users: USERS }] })),
    ...[{ name: 'a:b' }, { hash: 'x\nb:y' }, { hash: costly }, { more: 1 }].map((wrong) => ({
      locks: [{ path: '/a', users: [{ ...USERS[0], ...wrong }] }],
    })),
    { locks: Array.from({ length: 21 }, (_, i) => ({ path: `/${i}`, users: USERS })) },
    { errorPages: [{ status: 404, path: '/a.html";}' }] },
    { errorPages: [{ status: 200, path: '/a.html' }] },
    { more: [] },
  ])
    assert.throws(() => directives.read({ ...ACCESS, ...change }), undefined, JSON.stringify(change));
  assert.equal(directives.read(ACCESS), ACCESS);
});

test('names and passwords stand in files beside the virtual host, and not in it', () => {
  const files: string[] = [];
  const usersFile = (content: string) => `/vhosts/${files.push(content)}.users`;
  const place = sitePlace({ usersFile });
  assert.equal(directives.nginx(ACCESS, place), [
    'deny 192.0.2.0/24;',
    'set $hostkeep_realm off;',
    'set $hostkeep_users "";',
    ...['if ($uri ~ "^/+\\xc3\\xbc(?:/|$)") {', '    set $hostkeep_realm Protected;'],
    ...['    set $hostkeep_users "/vhosts/1.users";', '}'],
    ...['if ($uri ~ "^/+a/+b\\.c(?:/|$)") {', '    set $hostkeep_realm Protected;'],
    ...['    set $hostkeep_users "/vhosts/2.users";', '}'],
    'auth_basic $hostkeep_realm;',
    'auth_basic_user_file $hostkeep_users;',
    'error_page 404 "/404.html";',
  ]);
  assert.equal(files, [`jane:${hash}\n`, `jane:${hash}\n`]);
  assert.equal(directives.caddy(ACCESS, place).join('\n').split('\n\t').slice(0, 6), [
    ...['@blocked remote_ip 192.0.2.0/24', 'respond @blocked 403'],
    ...['@locked0 path_regexp "^/+\\x{fc}(?:/|$)"', 'basicauth @locked0 bcrypt Protected {'],
    ...['\timport "/vhosts/3.users"', '}'],
  ]);
  assert.is(files[2], `jane ${btoa(hash ?? '')}\n`);
});
