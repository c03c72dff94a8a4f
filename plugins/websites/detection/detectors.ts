/** How each application is recognised, and which of its own files gives its version. */
import { FRONT_FOLDER, MOST_FRONTS } from '../../../kernel/contract/points/web-server-part.ts';

export interface Detector {
  /** Stable name, used in `sites[].type`. */
  readonly type: string;
  readonly title: string;
  readonly category:
    'cms' | 'commerce' | 'learning' | 'wiki' | 'files' | 'analytics' | 'forum' | 'framework' | 'runtime' | 'static';
  readonly description: string;
  /** Paths below the folder that must all exist; of an array, any one. */
  readonly markers: readonly (string | readonly string[])[];
  /** Files that give the version; the first that exists and matches is used. */
  readonly versions: readonly { readonly file: string; readonly pattern: RegExp }[];
  /** The folder below its root that it serves, which is then the docroot. */
  readonly publicFolder?: 'public' | 'web' | 'pub';
  /** Its markers are common, so it is not recognised inside another application. */
  readonly isWeak?: true;
}

/** The types whose applications name their database in a configuration file. */
const WITH_DATABASE = [
  'wordpress',
  'joomla',
  'drupal',
  'laravel',
  'symfony',
  'prestashop',
  'opencart',
  'magento',
  'nextcloud',
  'mediawiki',
  'moodle',
  'phpbb',
] as const;
export type TypeWithDatabase = (typeof WITH_DATABASE)[number];

export function hasDatabase(type: string): type is TypeWithDatabase {
  return WITH_DATABASE.some((each) => each === type);
}

/** The types whose `index.php` answers for whatever is asked below its folder and is no file. */
const WITH_FRONT: readonly string[] = ['wordpress', 'joomla', 'drupal', 'prestashop'];

/** Returns the folders below a document root in which these are, and which web servers can name. */
export function frontsIn(found: readonly { readonly type: string; readonly path: string }[]): string[] {
  return found
    .filter(({ type, path }) => WITH_FRONT.includes(type) && FRONT_FOLDER.test(path))
    .map(({ path }) => path)
    .toSorted()
    .slice(0, MOST_FRONTS);
}

const VALUE = `['"]([^'"]{1,40})['"]`;
const constant = (file: string) => ({ file, pattern: new RegExp(`\\bconst\\s+VERSION\\s*=\\s*${VALUE}`) });
const defined = (file: string, name: string) => ({
  file,
  pattern: new RegExp(`define\\(\\s*['"]${name}['"]\\s*,\\s*${VALUE}`),
});
const lockedVersion = (name: string) => ({
  file: 'composer.lock',
  pattern: new RegExp(`"name":\\s*"${name}",\\s*"version":\\s*"v?([^"]{1,40})"`),
});

const NODE_FILES =
  'server.js app.js index.js main.js server.mjs index.mjs next.config.js nuxt.config.ts package-lock.json yarn.lock';

/** In order of precedence: the first match names the application. */
export const DETECTORS: readonly Detector[] = [
  {
    type: 'wordpress',
    title: 'WordPress',
    category: 'cms',
    description: 'Blogs and websites with themes and plugins',
    markers: ['wp-includes/version.php'],
    versions: [{ file: 'wp-includes/version.php', pattern: /^[ \t]*\$wp_version\s*=\s*['"]([^'"]{1,40})['"]/m }],
  },
  {
    type: 'joomla',
    title: 'Joomla',
    category: 'cms',
    description: 'Content management for sites and portals',
    markers: ['administrator/manifests/files/joomla.xml'],
    versions: [
      { file: 'administrator/manifests/files/joomla.xml', pattern: /<version>\s*([^<\s]{1,40})\s*<\/version>/ },
    ],
  },
  {
    type: 'drupal',
    title: 'Drupal',
    category: 'cms',
    description: 'Content management for structured sites',
    markers: [
      ['core/lib/Drupal.php', 'includes/bootstrap.inc'],
      ['core/misc', 'misc'],
      ['core/modules', 'modules'],
    ],
    publicFolder: 'web',
    versions: [constant('core/lib/Drupal.php'), defined('includes/bootstrap.inc', 'VERSION')],
  },
  {
    type: 'prestashop',
    title: 'PrestaShop',
    category: 'commerce',
    description: 'Online shop',
    markers: ['classes/PrestaShopAutoload.php', 'config/defines.inc.php'],
    versions: [
      constant('src/Core/Version.php'),
      constant('app/AppKernel.php'),
      defined('config/settings.inc.php', '_PS_VERSION_'),
    ],
  },
  {
    type: 'opencart',
    title: 'OpenCart',
    category: 'commerce',
    description: 'Online shop',
    markers: ['system/startup.php', 'catalog/controller', 'index.php'],
    versions: [defined('index.php', 'VERSION')],
  },
  {
    type: 'magento',
    title: 'Magento',
    category: 'commerce',
    description: 'Online shop for large catalogues',
    markers: [['bin/magento', 'app/Mage.php'], 'app/etc'],
    publicFolder: 'pub',
    versions: [
      lockedVersion('magento/product-community-edition'),
      lockedVersion('magento/product-enterprise-edition'),
      {
        file: 'composer.json',
        pattern: /"magento\/product-(?:community|enterprise)-edition":\s*"[~^]?([\d.]{1,20}(?:-p\d+)?)"/,
      },
      { file: 'composer.json', pattern: /"version":\s*"([^"]{1,40})"/ },
    ],
  },
  {
    type: 'moodle',
    title: 'Moodle',
    category: 'learning',
    description: 'Courses and learning',
    markers: ['lib/moodlelib.php', 'version.php'],
    versions: [{ file: 'version.php', pattern: /^[ \t]*\$release\s*=\s*['"]([^'"\s]{1,40})/m }],
  },
  {
    type: 'mediawiki',
    title: 'MediaWiki',
    category: 'wiki',
    description: 'Wiki, as Wikipedia uses it',
    markers: [
      ['includes/Defines.php', 'includes/DefaultSettings.php'],
      ['includes/WebStart.php', 'includes/Setup.php'],
      'load.php',
    ],
    versions: [
      defined('includes/Defines.php', 'MW_VERSION'),
      { file: 'includes/DefaultSettings.php', pattern: /^[ \t]*\$wgVersion\s*=\s*['"]([^'"]{1,40})['"]/m },
    ],
  },
  {
    type: 'nextcloud',
    title: 'Nextcloud',
    category: 'files',
    description: 'File sharing and collaboration',
    markers: ['version.php', 'occ', 'status.php'],
    versions: [{ file: 'version.php', pattern: /\$OC_VersionString\s*=\s*['"]([^'"]{1,40})['"]/ }],
  },
  {
    type: 'matomo',
    title: 'Matomo',
    category: 'analytics',
    description: 'Web analytics on your own server',
    markers: ['core/Version.php', ['matomo.php', 'piwik.php']],
    versions: [constant('core/Version.php')],
  },
  {
    type: 'phpbb',
    title: 'phpBB',
    category: 'forum',
    description: 'Forum',
    markers: ['includes/constants.php', 'viewtopic.php', 'ucp.php'],
    versions: [defined('includes/constants.php', 'PHPBB_VERSION')],
  },
  {
    type: 'laravel',
    title: 'Laravel',
    category: 'framework',
    description: 'PHP application on the Laravel framework',
    markers: ['artisan', 'bootstrap/app.php'],
    publicFolder: 'public',
    versions: [
      constant('vendor/laravel/framework/src/Illuminate/Foundation/Application.php'),
      lockedVersion('laravel/framework'),
    ],
  },
  {
    type: 'symfony',
    title: 'Symfony',
    category: 'framework',
    description: 'PHP application on the Symfony framework',
    markers: ['bin/console', ['config/bundles.php', 'app/AppKernel.php', 'symfony.lock']],
    publicFolder: 'public',
    versions: [
      constant('vendor/symfony/http-kernel/Kernel.php'),
      lockedVersion('symfony/http-kernel'),
      lockedVersion('symfony/framework-bundle'),
    ],
  },
  {
    type: 'nodejs',
    title: 'Node.js',
    category: 'runtime',
    description: 'Application on Node.js',
    isWeak: true,
    markers: ['package.json', NODE_FILES.split(' ')],
    versions: [{ file: 'package.json', pattern: /^[ \t]*"version":\s*"([^"]{1,40})"/m }],
  },
  {
    type: 'python',
    title: 'Python',
    category: 'runtime',
    description: 'Application on Python',
    isWeak: true,
    markers: [
      ['manage.py', 'wsgi.py', 'passenger_wsgi.py', 'asgi.py', 'app.py', 'main.py'],
      ['requirements.txt', 'pyproject.toml', 'Pipfile', 'setup.py', 'passenger_wsgi.py', 'manage.py'],
    ],
    versions: [{ file: 'pyproject.toml', pattern: /^[ \t]*version\s*=\s*['"]([^'"]{1,40})['"]/m }],
  },
  {
    type: 'static',
    title: 'Static',
    category: 'static',
    description: 'Pages that are served as they are',
    isWeak: true,
    markers: [['index.html', 'index.htm']],
    versions: [],
  },
];
