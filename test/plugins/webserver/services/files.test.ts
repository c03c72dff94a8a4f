import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { fetchPage } from '../../../support/page.ts';
import { testSuite } from '../../../support/suite.ts';

const test = testSuite('webserver-files');

const SERVED = [
  'index.html',
  'about.htm',
  'img/photo.jpeg',
  'app.js.map',
  'robots.txt',
  'data.json',
  'report-2024.pdf',
  'backup.zip',
  'archive.tar.gz',
  'keys.html',
  'logo.svg',
  'inc/style.css',
  'blog.old/index.html',
  'db/index.html',
  'php.txt',
  'phpinfo.html',
  'wget/index.php.html',
  'film.swf',
  'sqlite.org.html',
  'environment.js',
  'ca.crt',
  '.well-known/acme-challenge/x1y2',
  '.well-known/security.txt',
];

const REFUSED = [
  '.env',
  '.env.local',
  '.git/config',
  '.git/HEAD',
  '.svn/wc.db',
  '.htaccess',
  '.htpasswd',
  '.user.ini',
  '.DS_Store',
  '.well-known/.git/config',
  'sub/.env.production',
  'dump.sql',
  'DUMP.SQL',
  'dump.sql.gz',
  'dump.sql.zip',
  'dump-2024.sql.bz2',
  'site.bak',
  'index.html.bak',
  'site.bak2',
  'site.old',
  'site.orig',
  'site.save',
  'site.swp',
  'site.swo',
  'site.tmp',
  'site.backup',
  'index.html~',
  '#index.html#',
  'data.db',
  'data.db-wal',
  'data.db-shm',
  'data.db-journal',
  'data.sqlite',
  'data.sqlite-shm',
  'data.sqlite3',
  'data.sqlite3-wal',
  'Data.SQLite-Journal',
  'app.log',
  'app.log.1',
  'app.log.2.gz',
  'app.log-20240101',
  'error_log',
  'server.key',
  'server.pem',
  'cert.p12',
  'cert.pfx',
  'putty.ppk',
  'id_rsa',
  'id_ed25519',
  'prod.env',
  'config.ini',
  'index.php',
  'INDEX.PHP',
  'index.php5',
  'index.php7',
  'index.phps',
  'index.phtml',
  'index.pht',
  'index.phar',
  'config.inc',
  'config.inc.php',
  'index.php.txt',
  'index.php.bak',
  'index.php_old',
  'index.php-copy',
  'index.php~',
  'index.php copy',
  'wp-config.txt',
  'wp-config.php.save',
];

const encoded = (path: string) => `/${path.split('/').map(encodeURIComponent).join('/')}`;
/** The same path with every letter of its last component in escaped form. */
const escaped = (path: string) =>
  `/${dirname(path) === '.' ? '' : `${dirname(path)}/`}${[...(path.split('/').at(-1) ?? '')]
    .map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .join('')}`;

/** Starts a server with a site of the account ann, which has no scripts. */
async function startSite(config: Record<string, unknown>, domain: string) {
  const server = await TestServer.start({ config });
  await server.hostkeep.core.plans.create('plain', {}, ['domains']);
  const { account, token } = await server.user('ann', 'plain');
  const added = await server.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: domain } });
  assert.is(added.status, 201);
  return { server, account, docroot: join(account.filesRoot, domain) };
}

async function check(config: Record<string, unknown>, port: number): Promise<void> {
  const { server, docroot } = await startSite(config, 'shop.example');
  for (const path of [...SERVED, ...REFUSED]) {
    mkdirSync(dirname(join(docroot, path)), { recursive: true });
    writeFileSync(join(docroot, path), `content of ${path}`);
  }
  for (const path of SERVED) {
    // `index.html` is served under its folder's name; Caddy redirects there
    const { status, body: text } = await fetchPage(port, 'shop.example', encoded(path.replace(/index\.html$/, '')));
    assert.equal([status, text], [200, `content of ${path}`], path);
  }
  for (const path of REFUSED)
    for (const url of [encoded(path), escaped(path), `/x/..${encoded(path)}`, `/.${encoded(path)}`])
      assert.is((await fetchPage(port, 'shop.example', url)).status, 404, `${url} of ${path}`);
  await server.close();
}

/** What visitors see of a folder without a page. */
async function checkEmpty(config: Record<string, unknown>, port: number): Promise<void> {
  const { server, docroot } = await startSite(config, 'ann.example');
  const shown = async (path: string) => {
    const { status, body: text } = await fetchPage(port, 'ann.example', path);
    return `${status} ${/nothing to show here|Welcome/.exec(text)?.[0] ?? ''}`.trim();
  };
  assert.match(await shown('/'), /^40[34] nothing to show here$/);
  mkdirSync(join(docroot, 'sub'));
  assert.match(await shown('/sub/'), /^40[34] nothing to show here$/);
  assert.equal([await shown('/missing'), await shown('/hostkeep-closed.html')], ['404', '404']);
  writeFileSync(join(docroot, 'index.html'), 'Welcome');
  assert.is(await shown('/'), '200 Welcome');
  await server.close();
}

/** Links of one account to what another one, and the system, keep from it. */
async function checkLinks(config: Record<string, unknown>, port: number): Promise<void> {
  const { server, docroot, ...ann } = await startSite(config, 'ann.example');
  const bob = await server.user('bob');
  mkdirSync(bob.account.filesRoot, { recursive: true });
  const secret = join(bob.account.filesRoot, 'notes.txt');
  writeFileSync(secret, 'of bob');
  writeFileSync(join(docroot, 'own.txt'), 'of ann');
  mkdirSync(join(docroot, 'way'));
  const links = {
    'file.txt': secret,
    folder: bob.account.filesRoot,
    'way/up': '../../../bob',
    'etc.txt': '/etc/hostname',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(docroot, name));
  for (const { account } of [ann, bob]) execFileSync('chown', ['-hR', String(200_000 + account.id), account.filesRoot]);
  assert.is((await fetchPage(port, 'ann.example', '/own.txt')).body, 'of ann');
  for (const path of ['file.txt', 'folder/notes.txt', 'way/up/notes.txt', 'etc.txt']) {
    const { status, body: text } = await fetchPage(port, 'ann.example', `/${path}`);
    assert.ok(status >= 400, `${path}: ${status}`);
    assert.not.match(text, /of bob/);
  }
  await server.close();
}

if (hasNginx()) {
  // threat served-links: nginx follows no link to what belongs to another account
  test('nginx serves nothing of another account through a link', async () => {
    const nginx = await Nginx.start();
    try {
      await checkLinks({ webserver: nginx.settings }, nginx.port);
    } finally {
      await nginx.remove();
    }
  });

  test('nginx answers for a folder without a page with one that says so', async () => {
    const nginx = await Nginx.start();
    try {
      await checkEmpty({ webserver: nginx.settings }, nginx.port);
    } finally {
      await nginx.remove();
    }
  });

  // threat served-secrets: nginx serves no dumps, databases, keys, backups, hidden files or PHP source
  test('nginx serves the files of a site, and nothing that only lies beside them', async () => {
    const nginx = await Nginx.start();
    try {
      await check({ webserver: nginx.settings }, nginx.port);
    } finally {
      await nginx.remove();
    }
  });
}

if (hasCaddy()) {
  // threat served-links: Caddy follows no link to what belongs to another account
  test('Caddy serves nothing of another account through a link', async () => {
    const caddy = await Caddy.start();
    try {
      await checkLinks(caddy.config, caddy.port);
    } finally {
      await caddy.remove();
    }
  });

  test('Caddy answers for a folder without a page with one that says so', async () => {
    const caddy = await Caddy.start();
    try {
      await checkEmpty(caddy.config, caddy.port);
    } finally {
      await caddy.remove();
    }
  });

  // threat served-secrets: Caddy serves no dumps, databases, keys, backups, hidden files or PHP source
  test('Caddy serves the files of a site, and nothing that only lies beside them', async () => {
    const caddy = await Caddy.start();
    try {
      await check(caddy.config, caddy.port);
    } finally {
      await caddy.remove();
    }
  });
}
