import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { Caddy, hasCaddy } from '../../support/caddy.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { hasNginx, Nginx } from '../../support/nginx.ts';
import { fetchPage } from '../../support/page.ts';
import { testSuite } from '../../support/suite.ts';

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

async function check(settings: Record<string, unknown>, port: number): Promise<void> {
  const server = await TestServer.start({ config: { webserver: settings } });
  try {
    const { account, token } = await server.user('ann');
    const body = { domain_url: 'shop.example' };
    assert.is((await server.ask('/api/domains/new', { method: 'POST', token, body })).status, 201);
    const docroot = join(account.filesRoot, 'shop.example');
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
  } finally {
    await server.close();
  }
}

if (hasNginx()) {
  // threat served-secrets: nginx serves no dumps, databases, keys, backups, hidden files or PHP source
  test('nginx serves the files of a site, and nothing that only lies beside them', async () => {
    const nginx = await Nginx.start();
    try {
      await check(nginx.settings, nginx.port);
    } finally {
      await nginx.remove();
    }
  });
}

if (hasCaddy()) {
  // threat served-secrets: Caddy serves no dumps, databases, keys, backups, hidden files or PHP source
  test('Caddy serves the files of a site, and nothing that only lies beside them', async () => {
    const caddy = await Caddy.start();
    try {
      await check(caddy.settings, caddy.port);
    } finally {
      await caddy.remove();
    }
  });
}
