import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { FIRST, inHouse, nginx, type Customer } from '../house.ts';
import { hasPhp } from '../php.ts';

await needs('domains', 'webserver');
const [VERSION = ''] = await installedVersions();
const test = testSuite('php-ini-served');

const INI = `; what the shop needs
session.name = "SHOPSESSION"

max_input_vars = 3000
short_open_tag = off
; quiet
error_reporting = E_ALL & ~E_DEPRECATED
session.cookie_samesite = Lax
output_buffering = 8192
default_charset = ISO-8859-1
log_errors = off
opcache.revalidate_freq = 7
zlib.output_compression_level = 4
session.cache_limiter = ""
`;
const NAMES = [
  ...['session.name', 'max_input_vars', 'short_open_tag', 'error_reporting', 'session.cookie_samesite'],
  ...[
    'output_buffering',
    'default_charset',
    'log_errors',
    'opcache.revalidate_freq',
    'zlib.output_compression_level',
    'session.cache_limiter',
  ],
];
const SET = 'SHOPSESSION 3000 0 24575 Lax 8192 ISO-8859-1 0 7 4 ';
const ECHO = `<?php echo implode(' ', array_map('ini_get', explode(',', '${NAMES.join()}')));`;
const KEPT = `<?php echo ini_get('open_basedir'), ' ', ini_get('disable_functions'), ' ', ini_get('error_log');`;

interface Section {
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly local: string; readonly master: string | null }[];
}

/** Opens a customer whose scripts run. */
async function withPhp(open: (name: string, plan?: string) => Promise<Customer>, name = 'ann'): Promise<Customer> {
  const customer = await open(name);
  customer.put('index.php', ECHO);
  customer.put('kept.php', KEPT);
  assert.is((await customer.set('version', { version: VERSION })).status, 200);
  return customer;
}

const valueIn = (body: Record<string, unknown>, title: string, name: string) =>
  (body['sections'] as Section[]).find((each) => each.title === title)?.rows.find((row) => row.name === name);

if (hasPhp() && hasNginx()) {
  test('a php.ini with a line that is not allowed is refused as a whole', () =>
    inHouse(nginx, async ({ server, run, customer: open }) => {
      const ann = await withPhp(open);
      const [before, kept] = [(await ann.get()).body, (await ann.get('/kept.php')).body];
      assert.match(kept, new RegExp(`^${ann.filesRoot}/:\\S+ dl,exec,`));
      const pools = readdirSync(join(run, String(ann.id)));
      const { token: eves } = await server.user('eve');
      await server.hostkeep.core.plans.create('small', {}, ['domains', 'php', 'php_options']);
      const { token: bobs } = await server.user('bob', 'small');
      const path = `/api/php/sites/${ann.domain}/ini`;
      const body = { content: 'max_input_vars = 3000' };
      for (const [token, status] of [[undefined, 401] as const, [bobs, 403] as const, [eves, 404] as const]) {
        const given = token === undefined ? {} : { token };
        assert.is((await server.ask(path, { ...given, method: 'PUT', body })).status, status);
        assert.is((await server.ask(path, given)).status, status);
      }
      assert.is((await server.ask(`/api/php/sites/${ann.domain}/info`, { token: eves })).status, 404);
      for (const line of [
        ...['open_basedir = /', 'disable_functions =', 'extension = x.so', 'auto_prepend_file = /etc/passwd'],
        ...['php_admin_value[open_basedir] = /', '[www]', 'default_charset = "UTF-8', 'default_charset = ${HOME}'],
        ...[
          'default_charset = UTF-8;x',
          'default_charset = UTF-8\0',
          'session.name = X"\rphp_admin_value[open_basedir] = "/',
        ],
        ...['session.name = "X\nphp_admin_value[open_basedir] = /"', 'memory_limit = 4G', 'error_log = /tmp/x'],
      ]) {
        const answered = await ann.set('ini', { content: `; first\nmax_input_vars = 3000\n${line}\n` });
        assert.equal([answered.status, answered.body['error']], [422, 'invalid_php_ini'], line);
        const [fault] = answered.body['errors'] as { path: string; line: number; message: string }[];
        assert.equal([fault?.path, fault?.line], ['/content', 3], line);
        assert.is(answered.body['detail'], `line 3: ${fault?.message}`);
      }
      for (const content of [`;${'x'.repeat(8192)}`, 5, null, ['x']])
        assert.is((await ann.set('ini', { content })).status, 400, typeof content);
      assert.is((await ann.set('ini', { content: '; '.repeat(50_000) })).status, 413);
      assert.is((await ann.set('ini', { content: '', more: 1 })).status, 400);
      assert.equal([(await ann.get()).body, (await ann.get('/kept.php')).body], [before, kept]);
      assert.equal([readdirSync(join(run, String(ann.id))), (await ann.read('ini')).body['content']], [pools, '']);
    }));

  test('a php.ini is kept as it was written, and scripts run with what it sets', () =>
    inHouse(nginx, async ({ server, run, customer: open }) => {
      const ann = await withPhp(open);
      const bea = await withPhp(open, 'bea');
      const [plain, kept] = [(await ann.get()).body, (await ann.get('/kept.php')).body];
      assert.is.not(plain, SET);
      const answered = await ann.set('ini', { content: INI });
      assert.equal([answered.status, answered.body['content']], [200, INI], JSON.stringify(answered.body));
      assert.is((await ann.get()).body, SET);
      assert.is((await ann.get('/kept.php')).body, kept);
      assert.is((await bea.get()).body, plain, "another account's scripts");
      assert.is((await ann.read('ini')).body['content'], INI);
      const [settings = ''] = readdirSync(join(run, String(ann.id)))
        .filter((file) => file.endsWith('.conf'))
        .map((file) => readFileSync(join(run, String(ann.id), file), 'utf8'))
        .filter((text) => text.includes('SHOPSESSION'));
      assert.ok(settings.includes('php_value[max_input_vars] = "3000"'));
      assert.not.match(settings, /what the shop needs|quiet|E_ALL/, 'none of the text itself');
      const { lines } = await server.hostkeep.core.events.page(ann.id, '', 0, 1);
      assert.match(lines[0] ?? '', /changed php.ini for ann.example/);
      // other changes keep it, and an empty one takes it away
      assert.is((await ann.set('options', { memory_mib: 96 })).status, 200);
      assert.is((await ann.get()).body, SET);
      assert.is((await ann.set('ini', { content: '' })).status, 200);
      assert.is((await ann.get()).body, plain);
    }));

  test('every directive that may be set is one that PHP takes', () =>
    inHouse(nginx, async ({ customer: open }) => {
      const ann = await withPhp(open);
      const directives = (await ann.read('ini')).body['directives'] as {
        name: string;
        kind: string;
        smallest?: number;
        largest?: number;
        choices?: string[];
        example?: string;
      }[];
      const values = new Map(
        directives.map(({ name, kind, smallest = 0, largest = 0, choices, example }) => [
          name,
          kind === 'flag'
            ? 'on'
            : kind === 'number'
              ? String(Math.ceil((smallest + largest) / 2))
              : (choices?.at(-1) ?? example),
        ]),
      );
      // the output of the script is not compressed where nobody asks for it
      const content = [...values].map(([name, value]) => `${name} = ${value}`).join('\n');
      assert.is((await ann.set('ini', { content })).status, 200);
      ann.put('all.php', `<?php echo json_encode(array_map('ini_get', explode(',', '${[...values.keys()].join()}')));`);
      const told = JSON.parse((await ann.get('/all.php')).body) as (string | false)[];
      const wanted = [...values].map(([name, value]) =>
        value === 'on' ? '1' : name === 'error_reporting' ? '24575' : value,
      );
      assert.equal(told, wanted);
    }));

  test('a pool that does not start leaves the one before, and what is stored', () =>
    inHouse(nginx, async ({ customer: open }) => {
      const ann = await withPhp(open);
      const before = (await ann.get()).body;
      const { gid } = statSync(ann.filesRoot);
      chownSync(ann.filesRoot, FIRST + ann.id + 1, gid); // no scripts are run in it
      const refused = await ann.set('ini', { content: INI });
      chownSync(ann.filesRoot, FIRST + ann.id, gid);
      assert.is(refused.status, 503, JSON.stringify(refused.body));
      assert.equal([(await ann.read('ini')).body['content'], (await ann.get()).body], ['', before]);
    }));

  test('phpinfo is that of the scripts of the domain, without environment and secrets', () =>
    inHouse(nginx, async ({ server, customer: open }) => {
      const ann = await open('ann');
      assert.equal((await ann.read('info')).body['error'], 'php_off');
      assert.is((await server.ask(`/api/php/sites/${ann.domain}/info`)).status, 401);
      assert.is((await ann.set('version', { version: VERSION })).status, 200);
      assert.is((await ann.set('ini', { content: INI })).status, 200);
      const { status, body } = await ann.read('info');
      assert.equal([status, body['domain_url'], body['version']], [200, ann.domain, VERSION], JSON.stringify(body));
      assert.equal(valueIn(body, 'PHP', 'Server API')?.local, 'FPM/FastCGI');
      assert.equal(valueIn(body, 'Core', 'max_input_vars'), { name: 'max_input_vars', local: '3000', master: '3000' });
      assert.is(valueIn(body, 'Core', 'open_basedir')?.local, `${ann.filesRoot}/:/usr/share/php/`);
      assert.is(valueIn(body, 'session', 'session.name')?.local, 'SHOPSESSION');
      const text = JSON.stringify(body);
      assert.not.match(text, /HOSTKEEP|REMOTE_ADDR|SCRIPT_FILENAME|_SERVER|<\w|default_pw/);
      assert.not.match(text, /Environment/);
      assert.not(existsSync(join(ann.filesRoot, '.php/phpinfo.php')), 'what was asked is gone');
    }));

  test('phpinfo that an operator disables is said to be missing', () =>
    inHouse(
      nginx,
      async ({ customer: open }) => {
        const ann = await withPhp(open);
        const { status, body } = await ann.read('info');
        assert.equal([status, body['error']], [502, 'php_info_failed'], JSON.stringify(body));
      },
      { disabled_functions: ['phpinfo'] },
    ));
}
