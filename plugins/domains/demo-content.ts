/** The files of the demo's sites: small, and the same each time except for the secrets. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** File contents by path. */
export type Files = Record<string, string | Uint8Array>;

const secret = () => randomBytes(24).toString('base64url');
const KEYS = [
  'AUTH_KEY',
  'SECURE_AUTH_KEY',
  'LOGGED_IN_KEY',
  'NONCE_KEY',
  'AUTH_SALT',
  'SECURE_AUTH_SALT',
  'LOGGED_IN_SALT',
  'NONCE_SALT',
];
/** A picture of 1×1 pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
/** An empty tar archive: two blocks of zeros. */
const EMPTY_TAR_GZ = gzipSync(Buffer.alloc(1024));

function numbered(count: number, entry: (n: number) => [string, string | Uint8Array]): Files {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => entry(i + 1)));
}

export function wordPress(title: string): Files {
  const php = (what: string) => `<?php\n/**\n * ${what}\n *\n * @package WordPress\n */\n`;
  return {
    'index.php': `${php('Front to the application')}define( 'WP_USE_THEMES', true );\nrequire __DIR__ . '/wp-blog-header.php';\n`,
    'wp-config.php': wpConfig(),
    'wp-blog-header.php': `${php('Loads the environment and the template')}readfile( __DIR__ . '/index.html' );\n`,
    'wp-load.php': php('Finds wp-config.php and loads it'),
    'wp-login.php': php('Log-in page'),
    'wp-settings.php': php('Sets up common variables'),
    'wp-cron.php': php('Scheduled events'),
    'xmlrpc.php': php('XML-RPC'),
    'wp-includes/version.php': `${php('Version information')}$wp_version = '6.8.3';\n$wp_db_version = 60421;\n$required_php_version = '7.2.24';\n$required_mysql_version = '5.5.5';\n`,
    'wp-admin/index.php': php('Dashboard'),
    ...numbered(40, (n) => [
      `wp-includes/blocks/block-${n}/block.json`,
      `{"apiVersion":3,"name":"core/block-${n}","title":"Block ${n}"}\n`,
    ]),
    ...numbered(20, (n) => [`wp-admin/includes/part-${n}.php`, php(`Administration part ${n}`)]),
    ...numbered(12, (n) => [`wp-content/uploads/2026/${String(n).padStart(2, '0')}/photo-${n}.gif`, GIF]),
    ...numbered(12, (n) => [
      `wp-content/plugins/plugin-${n}/plugin-${n}.php`,
      `<?php\n/*\nPlugin Name: Plugin ${n}\nVersion: 1.${n}\n*/\n`,
    ]),
    'wp-content/themes/garden/style.css': `/*\nTheme Name: ${title}\nVersion: 2.1\n*/\nbody { font-family: serif; }\n`,
    'wp-content/themes/garden/index.php': php('Main template'),
    'wp-content/themes/garden/functions.php': php('Theme set-up'),
    'wp-content/debug.log':
      '[01-Nov-2026 08:00:00 UTC] PHP Notice:  Undefined index: page in /var/www/html/index.php on line 12\n',
  };
}

function wpConfig(): string {
  return `<?php
/** The name of the database for WordPress */
define( 'DB_NAME', 'demo_garden' );

/** Database username */
define( 'DB_USER', 'demo_garden' );

/** Database password */
define( 'DB_PASSWORD', '${secret()}' );

/** Database hostname */
define( 'DB_HOST', 'mariadb' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );

${KEYS.map((key) => `define( '${key}', '${secret()}' );`).join('\n')}

$table_prefix = 'wp_';

define( 'WP_DEBUG', false );

if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`;
}

export function laravel(title: string): Files {
  return {
    artisan: '#!/usr/bin/env php\n<?php\n',
    '.env': `APP_NAME="${title}"\nAPP_ENV=production\nAPP_KEY=base64:${randomBytes(32).toString('base64')}\nAPP_DEBUG=false\n\nDB_CONNECTION=mysql\nDB_HOST=mariadb\nDB_PORT=3306\nDB_DATABASE=demo_shop\nDB_USERNAME=demo_shop\nDB_PASSWORD=${secret()}\n`,
    'composer.json':
      '{"name":"laravel/laravel","type":"project","require":{"php":"^8.2","laravel/framework":"^12.0"}}\n',
    'public/index.php': "<?php\nrequire __DIR__.'/../vendor/autoload.php';\n",
    'bootstrap/app.php': '<?php\nuse Illuminate\\Foundation\\Application;\n',
    'vendor/laravel/framework/src/Illuminate/Foundation/Application.php':
      "<?php\nnamespace Illuminate\\Foundation;\nclass Application\n{\n    const VERSION = '12.37.0';\n}\n",
    ...numbered(24, (n) => [
      `app/Models/Product${n}.php`,
      `<?php\nnamespace App\\Models;\nclass Product${n} extends Product {}\n`,
    ]),
    ...numbered(30, (n) => [`storage/app/public/products/product-${n}.gif`, GIF]),
    'storage/logs/laravel.log': '[2026-11-01 08:00:00] production.INFO: order 1001 was paid\n',
  };
}

export function staticSite(title: string, pages: number, hue = 42): Files {
  return {
    'index.html': page(title),
    'robots.txt': 'User-agent: *\nAllow: /\n',
    'assets/css/site.css': styleOf(hue),
    'assets/js/site.js': "document.documentElement.classList.add('ready');\n",
    ...numbered(pages, (n) => [`pages/part-${Math.ceil(n / 8)}/page-${n}.html`, page(`${title}, page ${n}`)]),
    ...numbered(pages, (n) => [`assets/images/picture-${n}.gif`, GIF]),
  };
}

/** Returns the front page of a site whose program does not run in the demo. */
export function frontPage(title: string, hue: number): Files {
  return { 'index.html': page(title), 'assets/css/site.css': styleOf(hue) };
}

function page(heading: string): string {
  const cards = ['Opening hours', 'What is new', 'How to find us']
    .map((text) => `<article><h2>${text}</h2><p>Open every day from nine to five, and longer in summer.</p></article>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${heading}</title><link rel="stylesheet" href="/assets/css/site.css"></head>
<body><header><h1>${heading}</h1><p>A small place with a long story.</p></header><main>${cards}</main></body>
</html>
`;
}

function styleOf(hue: number): string {
  return `body { margin: 0; font-family: sans-serif; color: hsl(${hue} 30% 18%); background: hsl(${hue} 60% 97%); }
header { padding: 8rem 4rem; color: #fff; background: linear-gradient(120deg, hsl(${hue} 62% 34%), hsl(${hue + 45} 70% 55%)); }
h1 { margin: 0; font-size: 4.5rem; }
header p { font-size: 1.6rem; }
main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 2rem; padding: 3rem 4rem; }
article { padding: 1.5rem; border-radius: 1rem; background: #fff; box-shadow: 0 2px 12px hsl(${hue} 30% 50% / 25%); }
`;
}

export function otherSite(): Files {
  return {
    ...staticSite('Corner Bakery', 5, 24),
    'logs/access.log': '192.0.2.10 - - [01/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 512\n',
  };
}

export function backups(): Files {
  return {
    ...numbered(6, (n) => [
      `database/demo_garden-2026-${String(n).padStart(2, '0')}-01.sql`,
      `-- demo_garden\nCREATE TABLE wp_options (option_id bigint unsigned NOT NULL, option_name varchar(191), option_value longtext);\nINSERT INTO wp_options VALUES (1,'siteurl','https://sunny-garden.example');\n`,
    ]),
    ...numbered(6, (n) => [`files/sunny-garden-2026-${String(n).padStart(2, '0')}-01.tar.gz`, EMPTY_TAR_GZ]),
    ...numbered(12, (n) => [
      `logs/access-${String(n).padStart(2, '0')}.log`,
      `198.51.100.${n} - - [0${1 + (n % 9)}/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 ${n * 100}\n`,
    ]),
  };
}
