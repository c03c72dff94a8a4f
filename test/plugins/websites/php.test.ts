import { createRequire } from 'node:module';
import * as assert from '../../support/assert.ts';
import { HttpError } from '../../../kernel/errors.ts';
import { Budget } from '../../../plugins/websites/database-info/budget.ts';
import { withLogin, type NewLogin } from '../../../plugins/websites/database-login/rewriting.ts';
import { CONFIG_FILES } from '../../../plugins/websites/database-info/config-files.ts';
import type { TypeWithDatabase } from '../../../plugins/websites/detection/detectors.ts';
import { parseEnv } from '../../../plugins/websites/database-info/env-file.ts';
import { PhpFile } from '../../../plugins/websites/database-info/php-evaluator.ts';
import { asText } from '../../../plugins/websites/database-info/php-value.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('websites php');

const variables = (php: string): Record<string, unknown> => Object.fromEntries(new PhpFile(`<?php ${php}`).variables);
const constants = (php: string): Record<string, unknown> => Object.fromEntries(new PhpFile(`<?php ${php}`).constants);
/** Reads name, user, password, host and prefix from the configuration of an application type. */
function read(type: TypeWithDatabase, text: string, file = 0): (string | undefined)[] {
  const access = Object.values(CONFIG_FILES[type])[file]?.(text);
  assert.ok(access, `${type} names no database`);
  return [access.name, access.user, access.password, access.host, access.prefix].map(asText);
}
const isRefused = (error: unknown) => error instanceof HttpError && error.code === 'invalid_config_file';
const isTooComplex = (error: unknown) => error instanceof HttpError && error.code === 'file_too_complex';

test('the parser is loaded with the first file', () => {
  const isLoaded = () =>
    Object.keys(createRequire(import.meta.url).cache).some((file) => /\/php-parser(?:\/|\.cjs$)/.test(file));
  assert.not.ok(isLoaded());
  assert.equal(variables('$a = 1;'), { a: 1 });
  assert.ok(isLoaded());
});

test('constants by define and const; the first definition is kept', () => {
  assert.equal(constants(`define('A', 'x'); define('A', 'y'); const B = A . '1', C = 2; define("D", B . '-' . C);`), {
    A: 'x',
    B: 'x1',
    C: 2,
    D: 'x1-2',
  });
  assert.equal(
    constants(`if (!defined('A')) define('A', 1); if (defined('A')) { define('B', 2); } else { define('B', 3); }`),
    { A: undefined, B: undefined },
  );
  assert.equal(
    constants(`define('A', 1); if (!defined('A')) define('A', 2); define('B', \\A); define('C', constructor);`),
    {
      A: 1,
      B: 1,
      C: undefined,
    },
  );
});

test('code in comments and strings is ignored', () => {
  assert.equal(
    constants(`
    // define('DB_NAME', 'line');
    # define('DB_NAME', 'hash');
    /* define('DB_NAME', 'block'); */
    /** define('DB_NAME', 'doc'); */
    $text = "define('DB_NAME', 'text');";
    define(/* 'DB_USER' */ 'DB_NAME' // 'x'
      , 'real');`),
    { DB_NAME: 'real' },
  );
});

test('strings: quotes, escapes, heredoc, interpolation, concatenation', () => {
  assert.equal(
    variables(`$a = 'it\\'s'; $b = "a\\tb\\x41\\u{e9}\\$"; $c = "v: $a {$b}"; $d = 'x' . 1 . "y"; $d .= 'z';`),
    {
      a: "it's",
      b: 'a\tbA\u00e9$',
      c: "v: it's a\tbA\u00e9$",
      d: 'x1yz',
    },
  );
  assert.equal(variables(`$p = 'w'; $h = <<<TXT\npass-$p\nTXT;\n$n = <<<'TXT'\nraw $p\nTXT;\n`), {
    p: 'w',
    h: 'pass-w',
    n: 'raw $p',
  });
});

test('calls, comparisons and choices are unknown, and so is what they are part of', () => {
  const unknown = (php: string) => assert.equal(variables(`$a = 'known'; $a = ${php};`), { a: undefined }, php);
  for (const php of [
    ...["getenv('X')", "getenv('X') ?: 'd'", "$_ENV['X'] ?? 'd'", "env('X', 'd')", "(string) getenv('X')"],
    ...["isset($_ENV['X']) ? 1 : 'd'", "$_SERVER['HTTP_HOST']", '$GLOBALS', "include 'x.php'", "md5('x')"],
    ...["'p' . md5('x')", "__DIR__ . '/x'", 'strtolower("x")', '1 + 1', '[] + []', '!1', '-1', 'fn() => 1', 'f()'],
  ])
    unknown(php);
});

test('arrays of every form: nested, extended, spread and changed', () => {
  const file = new PhpFile(
    `<?php $x = array('a' => ['b' => 'c'], 'n', 'm'); $y = ['z' => 1, ...$x]; $x['a']['b'] = 'd'; $x[] = 'o'; return ['a' => $x['a']['b'], 'y' => $y['a']['b'], 'o' => $x['2']];`,
  );
  assert.equal(Object.fromEntries(file.returned as Map<string, unknown>), { a: 'd', y: 'd', o: 'o' });
});

test('what an `if` sets is unknown, and functions are not called', () => {
  assert.equal(
    variables(`$a = 0; if (file_exists('/x')) { $a = 1; } elseif ($x) { $b = 2; } else { $c = 3; } $e = 4;`),
    { a: undefined, b: undefined, c: undefined, e: 4 },
  );
  assert.equal(variables(`$a = f('x'); function f($k) { $b = 1; define('C', 1); return $k; }`), { a: undefined });
  assert.equal(
    variables(`defined('_JEXEC') or die; if (!defined('X')) { exit('no'); } if (!defined('Y')) return; $a = 1;`),
    { a: 1 },
  );
});

test('what is not PHP is refused', () => {
  for (const php of ['<?php $x = ;', '<?php define("A', `<?php $x = ${'('.repeat(100)}1`])
    assert.throws(() => new PhpFile(php), isRefused, php.slice(0, 40));
});

const KIB = 'x'.repeat(1024);
const DOUBLED = `$a = 'x'; ${'$a = $a . $a;'.repeat(16)}`;
const ARRAY = `$a = [${'1,'.repeat(2000)}];`;

// threat hostile-php: PHP is parsed with limits
test('PHP that grows, nests or never ends is refused while it is evaluated', () => {
  assert.is((variables(DOUBLED)['a'] as string).length, 65_536, 'the longest value');
  const before = process.memoryUsage().rss;
  for (const php of [
    `$a = 'xxxxxxxx'; ${'$a=$a.$a;'.repeat(23)}`,
    `$a = 'x'; ${'$a .= $a;'.repeat(23)}`,
    `$a = 'x'; ${'$a = "$a$a";'.repeat(23)}`,
    `$a = '${'x'.repeat(65_537)}';`,
    `${DOUBLED}${'$b = $a . "";'.repeat(17)}`,
    `${DOUBLED}${Array.from({ length: 2000 }, (_, i) => `$b${i} = '' . $a;`).join('')}`,
    `$a = '${KIB}A'; ${Array.from({ length: 2000 }, (_, i) => `$b${i} = $a . '';`).join('')}`,
    `${ARRAY}${Array.from({ length: 2000 }, (_, i) => `$b${i} = $a;`).join('')}`,
    `${ARRAY}${Array.from({ length: 2000 }, (_, i) => `$b${i} = [...$a];`).join('')}`,
    `class A { ${'public $a;'.repeat(80_000)} }`,
    `$x = ${'('.repeat(50_000)}1`,
    `$x = ${'['.repeat(200_000)}`,
    `$x = ${'!'.repeat(20_000)}1;`,
    `$x = 1${' . 1'.repeat(20_000)};`,
    `$x = "${'{$a['.repeat(20_000)}";`,
  ])
    assert.throws(() => new PhpFile(`<?php ${php}`), isTooComplex, php.slice(0, 60));
  // What would run costs nothing, because it is unknown.
  for (const php of [
    `${ARRAY}${Array.from({ length: 2000 }, (_, i) => `$b${i} = $a + [];`).join('')}`,
    `class A { public $a = ''; ${Array.from({ length: 2000 }, (_, i) => `public $p${i};`).join('')} } ${Array.from({ length: 2000 }, (_, i) => `$b${i} = new A;`).join('')}`,
    `${Array.from({ length: 2000 }, (_, i) => `$b${i} = $GLOBALS;`).join('')}`,
    'function f() { f(); f(); } $b1 = f();',
    `$a = '${'1'.repeat(60_000)}'; function f($x) { ${'$x + $x;'.repeat(2000)} } ${'$b1 = f($a);'.repeat(50)}`,
  ])
    assert.not.ok((variables(php)['b1'] as Map<string, unknown> | undefined)?.size, php.slice(0, 60));
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(grown < 200, `memory grew by ${Math.round(grown)} MiB`);
});

test('the limit is processor time: what a busy machine does meanwhile does not count', () => {
  const budget = new Budget();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100); // stands still, as if others had the processors
  budget.spendSteps(1);
  assert.throws(() => {
    for (;;) budget.spendSteps(1);
  }, isTooComplex);
});

// threat hostile-php: references in a .env cannot multiply its text
test('a .env whose references multiply its text is refused while it is expanded', () => {
  const nested = ['A0=' + 'x'.repeat(1000)];
  for (let i = 1; i <= 5; i += 1) nested.push(`A${i}=${`\${A${i - 1}}`.repeat(10)}`);
  for (let i = 0; i < 60; i += 1) nested.push(`B${i}=\${A5}\${A5}x`);
  const copies = [`A=${KIB}`, ...Array.from({ length: 2000 }, (_, i) => `B${i}=\${A}`)];
  const before = process.memoryUsage().rss;
  for (const lines of [nested, copies, [`A="${'x'.repeat(65_537)}"`], [`A=${'x'.repeat(65_537)}`]])
    assert.throws(() => parseEnv(lines.join('\n')), isTooComplex, lines.at(-1));
  assert.is(parseEnv(copies.slice(0, 900).join('\n')).get('B800'), KIB);
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(grown < 100, `memory grew by ${Math.round(grown)} MiB`);
});

test('a .env: quotes, comments, export, references', () => {
  assert.equal(
    Object.fromEntries(
      parseEnv(
        '# DB_HOST=no\nexport A=1\nB="x # \\"y\\"\\n" # c\nC=\'$A ${A}\'\nD=v # c\nE="${A}-${D}"\r\nF=\n G = h#i \nbroken line\nH=a=b',
      ),
    ),
    {
      A: '1',
      B: 'x # "y"\n',
      C: '$A ${A}',
      D: 'v',
      E: '1-v',
      F: '',
      G: 'h#i',
      H: 'a=b',
    },
  );
});

test('WordPress as shipped, and unknown where it asks the environment', () => {
  assert.equal(
    read(
      'wordpress',
      `<?php
/** The name of the database for WordPress */
define( 'DB_NAME', 'wp' ); define( 'DB_USER', 'u' ); define( 'DB_PASSWORD', 'p\\'w"$' ); define( 'DB_HOST', 'localhost' );
$table_prefix = 'wp_';
if ( ! defined( 'ABSPATH' ) ) { define( 'ABSPATH', __DIR__ . '/' ); }
require_once ABSPATH . 'wp-settings.php';`,
    ),
    ['wp', 'u', 'p\'w"$', 'localhost', 'wp_'],
  );
  assert.equal(
    read(
      'wordpress',
      `<?php
if (!function_exists('getenv_docker')) {
  function getenv_docker($env, $default) {
    if ($fileEnv = getenv($env . '_FILE')) { return rtrim(file_get_contents($fileEnv), "\\r\\n"); }
    else if (($val = getenv($env)) !== false) { return $val; }
    else { return $default; }
  }
}
define( 'DB_NAME', getenv_docker('WORDPRESS_DB_NAME', 'wordpress') ); define('DB_USER', getenv_docker('WORDPRESS_DB_USER', 'example username'));
define( 'DB_PASSWORD', getenv('SECRET') ); $table_prefix = getenv_docker('WORDPRESS_TABLE_PREFIX', 'wp_');`,
    ),
    [undefined, undefined, undefined, undefined, undefined],
  );
});

test('Joomla, Drupal, PrestaShop old and new', () => {
  assert.equal(
    read(
      'joomla',
      `<?php class JConfig { public $offline = false; public $host = 'h'; public $user = 'u'; public $password = 'p'; public $db = 'j'; var $dbprefix = 'jos_'; }`,
    ),
    ['j', 'u', 'p', 'h', 'jos_'],
  );
  assert.equal(
    read(
      'drupal',
      `<?php $databases['default']['default'] = array('database' => 'd', 'username' => 'u', 'password' => 'p', 'host' => 'h', 'port' => '3307', 'prefix' => '');`,
      1,
    ),
    ['d', 'u', 'p', 'h:3307', ''],
  );
  assert.equal(
    read(
      'drupal',
      `<?php $databases = ['default' => ['default' => ['database' => 'd', 'username' => 'u', 'password' => 'p', 'host' => 'h', 'prefix' => ['default' => 'x_']]]];`,
    ),
    ['d', 'u', 'p', 'h', 'x_'],
  );
  assert.equal(
    read(
      'prestashop',
      `<?php return array('parameters' => array('database_host' => 'h', 'database_name' => 'n', 'database_user' => 'u', 'database_password' => 'p', 'database_prefix' => 'ps_'));`,
    ),
    ['n', 'u', 'p', 'h', 'ps_'],
  );
  assert.equal(
    read(
      'prestashop',
      `<?php define('_DB_SERVER_', 'h'); define('_DB_NAME_', 'n'); define('_DB_USER_', 'u'); define('_DB_PASSWD_', 'p'); define('_DB_PREFIX_', 'ps_');`,
      1,
    ),
    ['n', 'u', 'p', 'h', 'ps_'],
  );
});

test('Nextcloud, MediaWiki, Moodle, Magento, OpenCart, phpBB', () => {
  assert.equal(
    read(
      'nextcloud',
      `<?php $CONFIG = array ('dbname' => 'n', 'dbhost' => 'h', 'dbtableprefix' => 'oc_', 'dbuser' => 'u', 'dbpassword' => 'p');`,
    ),
    ['n', 'u', 'p', 'h', 'oc_'],
  );
  assert.equal(
    read(
      'mediawiki',
      `<?php if ( !defined( 'MEDIAWIKI' ) ) { exit; } $wgDBserver = "h"; $wgDBname = "n"; $wgDBuser = "u"; $wgDBpassword = "p";`,
    ),
    ['n', 'u', 'p', 'h', undefined],
  );
  assert.equal(
    read(
      'moodle',
      `<?php unset($CFG); global $CFG; $CFG = new stdClass(); $CFG->dbhost = 'h'; $CFG->dbname = 'n'; $CFG->dbuser = 'u'; $CFG->dbpass = 'p'; $CFG->prefix = 'mdl_';`,
    ),
    ['n', 'u', 'p', 'h', 'mdl_'],
  );
  assert.equal(
    read(
      'magento',
      `<?php return ['db' => ['table_prefix' => 'm_', 'connection' => ['default' => ['host' => 'h', 'dbname' => 'n', 'username' => 'u', 'password' => 'p']]]];`,
    ),
    ['n', 'u', 'p', 'h', 'm_'],
  );
  assert.equal(
    read(
      'opencart',
      `<?php define('DB_HOSTNAME', 'h'); define('DB_USERNAME', 'u'); define('DB_PASSWORD', 'p'); define('DB_DATABASE', 'n'); define('DB_PREFIX', 'oc_');`,
    ),
    ['n', 'u', 'p', 'h', 'oc_'],
  );
  assert.equal(
    read('phpbb', `<?php $dbhost = 'h'; $dbname = 'n'; $dbuser = 'u'; $dbpasswd = 'p'; $table_prefix = 'phpbb_';`),
    ['n', 'u', 'p', 'h', 'phpbb_'],
  );
});

test('Laravel and Symfony', () => {
  assert.equal(read('laravel', 'DB_HOST=127.0.0.1\nDB_DATABASE=l\nDB_USERNAME=u\nDB_PASSWORD="p#1"\n'), [
    'l',
    'u',
    'p#1',
    '127.0.0.1',
    undefined,
  ]);
  assert.equal(read('symfony', 'DATABASE_URL="mysql://u:p%40ss@h:3306/s?serverVersion=8"'), [
    's',
    'u',
    'p@ss',
    'h:3306',
    '',
  ]);
});

/** Replaces the login in a file of this name, read as an application type does; `undefined` if it is refused. */
function renewed(type: TypeWithDatabase, text: string, login: NewLogin, file = 0): string | undefined {
  const [path, readFile] = Object.entries(CONFIG_FILES[type])[file] ?? [];
  const settings = readFile?.(text);
  assert.ok(path !== undefined && readFile !== undefined && settings !== undefined);
  const bytes = Buffer.from(text);
  try {
    return withLogin({ bytes, components: [path], read: readFile, settings, etag: '' }, login).toString();
  } catch (error) {
    if (error instanceof HttpError && error.code === 'login_not_literal') return undefined;
    throw error;
  }
}

test('a login is replaced where the application reads it, and nowhere else', () => {
  const login = { user: 'new_user', password: 'N3w-pass_word' };
  const php = "class JConfig { public $db = 'd'; public $user = 'u'; public $password = \"p'\\\"\"; public $x = 'u'; }";
  assert.is(
    renewed('joomla', `<?php ${php}`, login),
    "<?php class JConfig { public $db = 'd'; public $user = 'new_user'; public $password = 'N3w-pass_word'; public $x = 'u'; }",
  );
  const drupal = (user: string, password: string) =>
    `<?php $p = ${password}; $databases['default']['default'] = ['database' => 'd', 'username' => ${user}, 'password' => $p, 'x' => 'u'];`;
  assert.is(renewed('drupal', drupal("'u'", "'u'"), login), drupal("'new_user'", "'N3w-pass_word'"));
  assert.is(renewed('drupal', drupal('$p', "'u'"), login), undefined, 'one text is both');
  assert.is(renewed('drupal', drupal('$p', "'u'"), { password: 'x' }), undefined, 'the user would be another, too');
  const twice = "<?php define('DB_NAME', 'd'); define('DB_PASSWORD', ''); define('DB_PASSWORD', ''); $a = ['', ''];";
  assert.is(renewed('wordpress', twice, { password: "a'b\\" }), twice.replace("''", "'a\\'b\\\\'"));
  assert.is(renewed('wordpress', "<?php define('DB_NAME', 'd'); if (1) define('DB_PASSWORD', 'p');", login), undefined);
  assert.is(renewed('wordpress', "<?php define('DB_NAME', 'd');", { password: 'x' }), undefined, 'it has none');
});

test('a login is replaced in files of settings, and in URLs there', () => {
  const login = { user: 'new_user', password: 'N3w-pass_word' };
  for (const [before, after] of [
    [
      'DB_DATABASE=d\nDB_USERNAME = "u"\nDB_PASSWORD=p # p\r\nX=p',
      'DB_DATABASE=d\nDB_USERNAME = new_user\nDB_PASSWORD=N3w-pass_word # p\r\nX=p',
    ],
    ["DB_DATABASE=d\nDB_USERNAME='u'\nDB_PASSWORD=", 'DB_DATABASE=d\nDB_USERNAME=new_user\nDB_PASSWORD=N3w-pass_word'],
    [
      'P="a\\"b"\nDB_DATABASE=d\nDB_USERNAME=u\nDB_PASSWORD=${P}',
      'P=N3w-pass_word\nDB_DATABASE=d\nDB_USERNAME=new_user\nDB_PASSWORD=${P}',
    ],
    ['DATABASE_URL="mysql://u:p%40@localhost/d?x=p"', 'DATABASE_URL="mysql://new_user:N3w-pass_word@localhost/d?x=p"'],
    ['DB_DATABASE=d\nDB_USERNAME=u\nDB_PASSWORD=a${X}', undefined],
    ['DATABASE_URL=mysql://u@localhost/d', undefined],
  ] as const)
    assert.is(renewed('laravel', before, login), after, before);
});
