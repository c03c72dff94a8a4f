import * as assert from '../../support/assert.ts';
import { DIRECTIVES } from '../../../plugins/php/ini/directives.ts';
import { readIni } from '../../../plugins/php/ini/ini-text.ts';
import { poolConfig } from '../../../plugins/php/pools/pool-config.ts';
import { poolName, readPool, type Pool } from '../../../plugins/php/pools/pool.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('php-ini');
const POOL: Pool = {
  ...{
    version: '8.4',
    workers: 1,
    memoryMib: 64,
    uploadMib: 8,
    seconds: 30,
    showsErrors: false,
    timezone: 'UTC',
    ini: [],
  },
};

/** Lines of which none may be taken, by what they try. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'what holds accounts': [
    ...[
      'open_basedir = /',
      'disable_functions =',
      'disable_classes =',
      'extension = evil.so',
      'zend_extension = /x.so',
    ],
    ...['auto_prepend_file = /etc/passwd', 'auto_append_file = x.php', 'sendmail_path = /bin/sh', 'error_log = /x'],
    ...['session.save_path = /tmp', 'session.save_handler = user', 'upload_tmp_dir = /tmp', 'sys_temp_dir = /tmp'],
    ...['include_path = /home', 'user_dir = /', 'doc_root = /', 'allow_url_include = on', 'enable_dl = on'],
    ...['opcache.preload = /x.php', 'opcache.file_cache = /tmp', 'opcache.error_log = /x', 'curl.cainfo = /x'],
    ...['mail.log = /x', 'user_ini.filename = x', 'unserialize_callback_func = system', 'assert.callback = system'],
  ],
  'options of the domain': [
    ...['memory_limit = 1G', 'upload_max_filesize = 1G', 'post_max_size = 1G', 'max_execution_time = 0'],
    ...['display_errors = on', 'date.timezone = UTC'],
  ],
  'another form': [
    ...['max_input_vars', '= 1', 'max_input_vars: 1', '[PHP]', '[www]', 'MAX_INPUT_VARS = 1', '# max_input_vars = 1'],
    ...['php_admin_value[open_basedir] = /', 'php_value[max_input_vars] = 1', 'include = /etc/*.conf', 'user = root'],
    ...['env[X] = y', 'max_input_vars[] = 1', 'constructor = 1', '__proto__ = 1'],
  ],
  'more than a value': [
    ...[
      'default_charset = UTF-8"',
      'default_charset = "UTF-8" x',
      "default_charset = 'UTF-8'",
      'default_charset = UTF-8;x',
    ],
    ...[
      'default_charset = UTF-8 ; x',
      'default_charset = ${HOME}',
      'default_charset = "${HOME}"',
      'default_charset = $x',
    ],
    ...[
      'default_charset = UTF-8\0',
      'default_charset = UTF-8\rphp_admin_value[open_basedir] = /',
      'default_charset = a\\',
    ],
    ...['session.name = a b', 'session.name = 1', 'session.cookie_path = x', 'session.cookie_path = "/\n"'],
    ...[
      'session.cookie_path = /;x',
      'session.cookie_domain = a b',
      'session.cookie_samesite = lax',
      '; \ud800',
      '\u0007',
    ],
    ...['default_mimetype = text/html; charset=x', 'default_charset ='],
  ],
  'another type or size': [
    ...['max_input_vars = 0', 'max_input_vars = 100001', 'max_input_vars = 1e3', 'max_input_vars = 0x10'],
    ...[
      'max_input_vars = 01',
      'max_input_vars = 1.5',
      'max_input_vars = -1',
      'max_input_vars = 4K',
      'max_input_vars =',
    ],
    ...['max_input_vars = 99999999999999999999', 'log_errors = maybe', 'log_errors = 2', 'short_open_tag ='],
    ...['error_reporting = E_ALLES', 'error_reporting = E_ALL ^ E_NOTICE', 'error_reporting = constructor'],
    ...['error_reporting = 99999', 'error_reporting = E_ALL; x', 'error_reporting ='],
  ],
};

for (const [what, lines] of Object.entries(REFUSED))
  test(`a line with ${what} is refused`, () => {
    for (const line of lines) {
      const { values, faults } = readIni(line);
      assert.equal(values, [], line);
      assert.ok(faults.length > 0, JSON.stringify(line));
    }
  });

test('each fault says its line, and all are said at once', () => {
  const { faults } = readIni(
    '; mine\nmax_input_vars = 3000\r\n\nopen_basedir = /\nmax_input_vars = 1\nmemory_limit = 1G',
  );
  assert.equal(faults, [
    { line: 4, message: 'open_basedir is none of the directives that can be set' },
    { line: 5, message: 'max_input_vars is set by a line before' },
    { line: 6, message: 'memory_limit is an option of the domain, and is changed there' },
  ]);
  assert.is(readIni('x\n'.repeat(5000)).faults.length, 51);
  assert.is(
    readIni(`${'a'.repeat(5000)} = 1`).faults[0]?.message.length,
    60 + ' is none of the directives that can be set'.length,
  );
});

test('values are written as PHP reads them, whatever their form and order', () => {
  const { values, faults } = readIni(
    'short_open_tag = On\nlog_errors="no"\n\terror_reporting =E_ALL & ~E_NOTICE | E_NOTICE\n' +
      'session.cookie_samesite = ""\nsession.name = "SHOP"\nmax_input_time = -1\ndefault_charset = ISO-8859-1\r\n',
  );
  assert.equal(faults, []);
  assert.equal(values, [
    ...[
      ['default_charset', 'ISO-8859-1'] as const,
      ['error_reporting', '32767'] as const,
      ['log_errors', '0'] as const,
    ],
    ...[['max_input_time', '-1'] as const, ['session.cookie_samesite', ''] as const, ['session.name', 'SHOP'] as const],
    ['short_open_tag', '1'],
  ]);
  assert.equal(readIni('error_reporting = E_ALL & ~E_DEPRECATED').values, [['error_reporting', '24575']]);
});

// threat other-accounts: the broker takes nothing of a php.ini on trust
test('root takes checked directives with checked values only, each once', () => {
  for (const ini of [
    ...[undefined, 'x', [['open_basedir', '/']], [['max_input_vars', 3000]], [['max_input_vars']]],
    ...[
      [['max_input_vars', '3000', 'x']],
      [['max_input_vars', '0']],
      [['log_errors', 'on']],
      [['session.name', 'a"\nuser = 0']],
    ],
    ...[
      [['default_charset', 'UTF-8\n']],
      [['session.cookie_path', '/${HOME}']],
      [['memory_limit', '1G']],
      [['__proto__', '1']],
    ],
    ...[
      [
        ['max_input_vars', '1'],
        ['max_input_vars', '2'],
      ],
      Array.from({ length: DIRECTIVES.size + 1 }, () => ['log_errors', '1']),
    ],
  ])
    assert.throws(() => readPool({ ...POOL, ini }), /expected/, JSON.stringify(ini));
  assert.equal(readPool({ ...POOL, ini: [['max_input_vars', '3000']] }).ini, [['max_input_vars', '3000']]);
});

test('a pool gets the values in quotes, and each directive in one line', () => {
  const places = { uid: 1, webGid: 2, socket: '/run/x.sock', root: '/srv/a', idleSeconds: 5 };
  const pool: Pool = { ...POOL, ini: readIni('log_errors = off\nsession.cookie_path = /shop/').values };
  const lines = poolConfig(pool, places, []).split('\n');
  assert.equal(
    lines.filter((line) => /log_errors|cookie_path/.test(line)),
    ['php_value[log_errors] = "0"', 'php_value[session.cookie_path] = "/shop/"'],
  );
  assert.ok(poolConfig(POOL, places, []).includes('php_value[log_errors] = "1"'));
  assert.is.not(poolName(pool, []), poolName(POOL, []));
  // nothing that a directive may be means anything between quotes in a file of settings
  for (const directive of DIRECTIVES.values())
    if (directive.kind === 'text') for (const sign of '"$\\\n\r\0;{}') assert.not(directive.pattern.test(`a${sign}`));
});
