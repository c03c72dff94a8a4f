import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { Accounts } from '../../../kernel/identity/accounts/accounts.ts';
import type { AccountJobs } from '../../../kernel/kit/jobs/account-jobs.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { createLog, type Log } from '../../../kernel/log.ts';
import { definePlugin } from '../../../kernel/contract/plugin.ts';
import type { Domain, DomainDirectory } from '../../../kernel/areas/sites/domain-directory.ts';
import { DETECTORS } from '../../../plugins/websites/detection/detectors.ts';
import { Sweep } from '../../../plugins/websites/detection/sweep.ts';
import { Sites } from '../../../plugins/websites/sites.ts';
import websites from '../../../plugins/websites/index.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';
import { pick } from '../../support/lists.ts';

interface Installer {
  readonly technologies: { name: string; title: string }[];
  readonly sites: { site: string; type: string; version: string; path: string }[];
  readonly counts: Record<string, number>;
  readonly domain_count: number;
}

const domains = new Map<number, Domain[]>();
const listeners = new Set<(accountId: number) => void>();
/** Names of domains that are to be served by other rules. */
const served: string[] = [];
/** Stands in for the plugin of domains. */
const fakeDomains = definePlugin({
  name: 'domains',
  features: ['domains'],
  routes: {},
  setup: () => ({
    handlers: {},
    service: {
      list: ({ id }) => domains.get(id) ?? [],
      all: async function* all() {
        yield* [...domains.values()].flat();
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    } satisfies DomainDirectory,
    provides: { siteChanged: ({ name }) => void served.push(name) },
  }),
});

function setDomains(account: Account, docroots: Record<string, string>): void {
  domains.set(
    account.id,
    Object.entries(docroots).map(([name, folder], i) => ({
      id: account.id * 100 + i,
      accountId: account.id,
      name,
      docroot: `/var/www/html/${folder}`,
      components: folder === '' ? [] : folder.split('/'),
      createdAt: 0,
    })),
  );
  for (const listener of listeners) listener(account.id);
}

/** Writes files below an account's files root, by path. */
function write({ filesRoot }: Account, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(filesRoot, path)), { recursive: true });
    writeFileSync(join(filesRoot, path), text);
  }
}

const wordpress = (folder: string, version: string) => ({
  [`${folder}/wp-includes/version.php`]: `<?php\n$wp_version = '${version}';\n`,
  [`${folder}/wp-config.php`]:
    '<?php define("DB_NAME", "wp_db"); define("DB_USER", "wp"); define("DB_PASSWORD", "s3"); define("DB_HOST", "db"); $table_prefix = "wp_";',
});

const test = testSuite('websites');
let server: TestServer;
test.before(
  async () =>
    void (server = await TestServer.start({
      plugins: [fakeDomains, websites],
      config: { websites: { check_seconds: 0 } },
    })),
);

const installer = async (token: string) => (await server.ask<Installer>('/api/auto-installer', { token })).body;
const info = (token: string, domain: string) =>
  server.ask(`/api/database_info?domain=${encodeURIComponent(domain)}`, { token });

test('an application that is recognized is described in the languages of the pages', () => {
  for (const language of ['en', 'de', 'fr']) {
    const texts = readFileSync(join(projectDir, `plugins/websites/page/texts/${language}.json`), 'utf8');
    for (const { type } of DETECTORS) assert.ok(texts.includes(`"websites.about.${type}"`), `${type}, ${language}`);
  }
});

test('bad input is refused', async () => {
  const { token } = await server.user('refused');
  for (const query of ['', '?domain=', `?domain=${'a'.repeat(3000)}`])
    assert.is((await server.ask(`/api/database_info${query}`, { token })).status, 400);
});

test('a foreign site, a missing one and one without configuration get the same answer', async () => {
  const { account: owner, token: own } = await server.user('owner');
  const { account: thief, token } = await server.user('thief');
  write(owner, wordpress('own.test', '6.5'));
  write(thief, { 'plain.test/index.html': '' });
  setDomains(owner, { 'own.test': 'own.test' });
  setDomains(thief, { 'plain.test': 'plain.test' });
  assert.is((await info(own, 'own.test')).status, 200);
  for (const domain of [
    'own.test',
    'none.test',
    'plain.test',
    '../owner/own.test',
    '%2e%2e',
    'plain.test/../own.test',
  ]) {
    const { status, body } = await info(token, domain);
    assert.is(status, 404, domain);
    assert.is(body['error'], 'database_info_not_found');
    assert.is(body['detail'], 'there is no such site, or its configuration does not name a database');
  }
  assert.equal(pick((await installer(token)).sites, 'site'), ['plain.test']);
});

test('applications that answer for all below their folders are told, and served anew', async () => {
  const { account, token } = await server.user('fronts');
  write(account, { ...wordpress('front.test', '6.5'), ...wordpress('front.test/blog', '6.5') });
  for (const folder of ['a b', '.old', 'x$y']) write(account, wordpress(`front.test/news/${folder}`, '6.5'));
  write(account, { 'front.test/plain/index.php': '<?php echo 1;', 'front.test/plain/index.html': '' });
  setDomains(account, { 'front.test': 'front.test', 'other.test': 'other.test' });
  const fronts = async () =>
    (await server.hostkeep.plugins.gather('frontFolders', account)).flatMap((part) =>
      part.ok ? [...part.value].map(([id, folders]) => [id - account.id * 100, folders]) : [],
    );
  assert.equal(await fronts(), [[0, []], [1, []]], 'nothing is scanned for it'); // prettier-ignore
  await installer(token);
  assert.equal(await fronts(), [[0, ['blog']], [1, []]]); // prettier-ignore
  write(account, wordpress('front.test/blog/shop', '6.5'));
  await installer(token);
  await installer(token);
  assert.equal((await fronts())[0], [0, ['blog', 'blog/shop']]);
  renameSync(join(account.filesRoot, 'front.test/blog'), join(account.filesRoot, 'front.test/.blog'));
  await installer(token);
  assert.equal((await fronts())[0], [0, []]);
  assert.equal(served, ['front.test', 'front.test', 'front.test'], 'each change once');
});

test('every type of application is found, with the version that its own files give', async () => {
  const { account, token } = await server.user('zoo');
  const kinds: Record<string, { version: string; files: Record<string, string> }> = {
    wordpress: {
      version: '6.5.2',
      files: { 'wp-includes/version.php': "<?php\n/** $wp_version = old */\n$wp_version = '6.5.2';" },
    },
    joomla: {
      version: '5.1.0',
      files: { 'administrator/manifests/files/joomla.xml': '<extension><version>5.1.0</version></extension>' },
    },
    drupal: {
      version: '10.2.3',
      files: {
        'core/lib/Drupal.php': "class Drupal {\n  const VERSION = '10.2.3';",
        'core/misc/x.js': '',
        'core/modules/x': '',
      },
    },
    prestashop: {
      version: '8.1.4',
      files: {
        'classes/PrestaShopAutoload.php': '',
        'config/defines.inc.php': '',
        'src/Core/Version.php': "public const VERSION = '8.1.4';",
      },
    },
    opencart: {
      version: '4.0.2.3',
      files: {
        'system/startup.php': '',
        'catalog/controller/x': '',
        'index.php': "<?php\n// Version\ndefine('VERSION', '4.0.2.3');",
      },
    },
    magento: {
      version: '2.4.6-p3',
      files: {
        'bin/magento': '',
        'app/etc/di.xml': '',
        'composer.json': '{"require": {"magento/product-community-edition": "2.4.6-p3"}}',
      },
    },
    moodle: {
      version: '4.3.2',
      files: { 'lib/moodlelib.php': '', 'version.php': "<?php\n$release  = '4.3.2 (Build: 20240108)';" },
    },
    mediawiki: {
      version: '1.41.0',
      files: {
        'includes/Defines.php': "define( 'MW_VERSION', '1.41.0' );",
        'includes/WebStart.php': '',
        'load.php': '',
      },
    },
    nextcloud: {
      version: '28.0.1',
      files: { 'version.php': "<?php $OC_VersionString = '28.0.1';", occ: '', 'status.php': '' },
    },
    matomo: {
      version: '5.0.2',
      files: { 'core/Version.php': "final class Version { const VERSION = '5.0.2'; }", 'matomo.php': '' },
    },
    phpbb: {
      version: '3.3.11',
      files: { 'includes/constants.php': "@define('PHPBB_VERSION', '3.3.11');", 'viewtopic.php': '', 'ucp.php': '' },
    },
    laravel: {
      version: '10.48.4',
      files: {
        artisan: '',
        'bootstrap/app.php': '',
        'composer.lock': '{"packages":[{"name": "laravel/framework",\n "version": "v10.48.4"}]}',
        'package.json': '{}',
      },
    },
    symfony: {
      version: '7.0.3',
      files: {
        'bin/console': '',
        'config/bundles.php': '',
        'vendor/symfony/http-kernel/Kernel.php': "public const VERSION = '7.0.3';",
      },
    },
    nodejs: {
      version: '1.2.3',
      files: { 'package.json': '{\n  "name": "x",\n  "version": "1.2.3"\n}', 'server.js': '' },
    },
    python: { version: '0.4', files: { 'pyproject.toml': '[project]\nversion = "0.4"\n', 'app.py': '' } },
    static: { version: '', files: { 'index.html': '<p>', 'deep/below/index.html': '' } },
  };
  for (const [kind, { files }] of Object.entries(kinds))
    write(account, Object.fromEntries(Object.entries(files).map(([path, text]) => [`${kind}.test/${path}`, text])));
  setDomains(account, {
    ...Object.fromEntries(Object.keys(kinds).map((kind) => [`${kind}.test`, `${kind}.test`])),
    'empty.test': 'empty.test',
  });
  const body = await installer(token);
  assert.equal(
    body.sites,
    Object.entries(kinds)
      .map(([kind, { version }]) => ({ site: `${kind}.test`, type: kind, version, path: `/var/www/html/${kind}.test` }))
      .toSorted((a, b) => (a.site < b.site ? -1 : 1)),
  );
  assert.equal(body.counts, Object.fromEntries(Object.keys(kinds).map((kind) => [kind, 1])));
  assert.is(body.domain_count, 17);
  assert.equal(body.technologies.map(({ name }) => name).toSorted(), Object.keys(kinds).toSorted());
});

test('applications below a docroot are sites of their own, what lies inside one is not', async () => {
  const { account, token } = await server.user('deep');
  write(account, {
    ...wordpress('main.test', '6.1'),
    ...wordpress('main.test/shop/eu', '6.2'),
    ...wordpress('main.test/a/b/c/d', '6.3'),
    ...wordpress('main.test/node_modules/x', '6.4'),
    'main.test/wp-content/themes/x/package.json': '{}',
    'main.test/wp-content/themes/x/index.js': '',
    'main.test/tools/package.json': '{}',
    'main.test/tools/index.js': '',
    'main.test/other/wp-includes/version.php': '$wp_version = "6.6";',
    'app/artisan': '',
    'app/bootstrap/app.php': '',
    'app/public/index.php': '',
    'app/.env': 'DB_DATABASE=lara\nDB_PASSWORD=x',
    'app/composer.lock': '"name": "laravel/framework", "version": "v11.0.1"',
  });
  setDomains(account, { 'main.test': 'main.test', 'other.test': 'main.test/other', 'app.test': 'app/public' });
  assert.equal(
    (await installer(token)).sites.map(({ site, type, version }) => `${site} ${type} ${version}`),
    [
      'app.test laravel 11.0.1',
      'main.test wordpress 6.1',
      'main.test/shop/eu wordpress 6.2',
      'other.test wordpress 6.6',
    ],
  );
  assert.is((await info(token, 'app.test')).body['database_name'], 'lara');
  assert.is((await info(token, 'MAIN.test./shop/eu/')).body['database_name'], 'wp_db');
});

test('all database settings are returned, also for applications in folders', async () => {
  const { account, token } = await server.user('told');
  write(account, { ...wordpress('told.test/blog', '6.5'), 'told.test/index.html': '' });
  setDomains(account, { 'told.test': 'told.test' });
  for (const domain of ['told.test', 'told.test/blog']) {
    assert.equal((await info(token, domain)).body, {
      database_name: 'wp_db',
      database_user: 'wp',
      database_password: 's3',
      database_host: 'db',
      database_table_prefix: 'wp_',
      application: 'wordpress',
    });
  }
});

test('an unreadable configuration is refused, and nothing else is lost', async () => {
  const { account, token } = await server.user('broken');
  write(account, { ...wordpress('big.test', '6'), ...wordpress('bad.test', '6'), ...wordpress('good.test', '6') });
  write(account, {
    'big.test/wp-config.php': `<?php //${'x'.repeat(1 << 20)}`,
    'bad.test/wp-config.php': '<?php define("DB_NAME", ',
  });
  setDomains(account, { 'big.test': 'big.test', 'bad.test': 'bad.test', 'good.test': 'good.test' });
  for (const [domain, error] of [
    ['big.test', 'file_too_complex'],
    ['bad.test', 'invalid_config_file'],
  ] as const) {
    const { status, body } = await info(token, domain);
    assert.is(status, 422, domain);
    assert.is(body['error'], error);
  }
  assert.is((await info(token, 'good.test')).status, 200);
  assert.is((await installer(token)).sites.length, 3);
});

// threat hostile-php: text that a customer's file multiplies costs neither the server nor the list of sites
test('files whose text multiplies are refused, and their sites are still listed', async () => {
  const { account, token } = await server.user('grower');
  const doubled = `<?php $a='xxxxxxxx';${'$a=$a.$a;'.repeat(23)} define('DB_NAME', $a);`;
  const copies = Array.from({ length: 2000 }, (_, i) => `$b${i}=$a.'x';`).join('');
  const env = ['A0=' + 'x'.repeat(1000)];
  for (let i = 1; i <= 5; i += 1) env.push(`A${i}=${`\${A${i - 1}}`.repeat(10)}`);
  for (let i = 0; i < 60; i += 1) env.push(`B${i}=\${A5}\${A5}x`);
  write(account, { ...wordpress('one.test', '6.1'), ...wordpress('two.test', '6.2') });
  write(account, {
    'one.test/wp-config.php': doubled,
    'two.test/wp-config.php': `<?php $a='x';${'$a=$a.$a;'.repeat(16)}${copies} define('DB_NAME', 'x');`,
    'three.test/artisan': '',
    'three.test/bootstrap/app.php': '',
    'three.test/.env': `${env.join('\n')}\nDB_DATABASE=x`,
  });
  setDomains(account, { 'one.test': 'one.test', 'two.test': 'two.test', 'three.test': 'three.test' });
  for (const domain of ['one.test', 'two.test', 'three.test']) {
    const { status, headers, body } = await info(token, domain);
    assert.is(status, 422, domain);
    assert.is(body['error'], 'file_too_complex');
    assert.match(headers.get('content-type') ?? '', /problem\+json/);
  }
  assert.equal((await installer(token)).counts, { wordpress: 2, laravel: 1 });
});

// threat path-prefix: site detection follows no links
test('links are never followed, neither to a docroot nor to its files', async () => {
  const { account: victim } = await server.user('victim');
  const { account, token } = await server.user('linker');
  write(victim, wordpress('secret.test', '6'));
  write(account, { ...wordpress('half.test', '6'), 'x/y': '' });
  symlinkSync(join(victim.filesRoot, 'secret.test'), join(account.filesRoot, 'linked.test'));
  rmSync(join(account.filesRoot, 'half.test/wp-config.php'));
  symlinkSync(join(victim.filesRoot, 'secret.test/wp-config.php'), join(account.filesRoot, 'half.test/wp-config.php'));
  symlinkSync(join(victim.filesRoot, 'secret.test'), join(account.filesRoot, 'half.test/below'));
  setDomains(account, { 'linked.test': 'linked.test', 'half.test': 'half.test' });
  assert.equal(pick((await installer(token)).sites, 'site'), ['half.test']);
  for (const domain of ['linked.test', 'half.test', 'half.test/below'])
    assert.is((await info(token, domain)).status, 404, domain);
});

test('sites follow what is installed, upgraded and removed, and the domains', async () => {
  const { account, token } = await server.user('mover');
  const old = new Date(Date.now() - 3_600_000);
  write(account, wordpress('move.test', '6.0'));
  setDomains(account, { 'move.test': 'move.test' });
  const seen = async () => (await installer(token)).sites.map(({ site, version }) => `${site} ${version}`);
  assert.equal(await seen(), ['move.test 6.0']);
  write(account, wordpress('move.test', '6.1'));
  assert.equal(await seen(), ['move.test 6.1']);
  write(account, wordpress('move.test/two', '6.2'));
  utimesSync(join(account.filesRoot, 'move.test'), old, old);
  assert.equal(await seen(), ['move.test 6.1', 'move.test/two 6.2']);
  write(account, { 'move.test/slow/wp-includes/x': '' });
  for (const folder of ['move.test', 'move.test/slow', 'move.test/slow/wp-includes'])
    utimesSync(join(account.filesRoot, folder), old, old);
  assert.is((await seen()).length, 2);
  write(account, { 'move.test/slow/wp-includes/version.php': '$wp_version = "6.3";' });
  assert.equal(await seen(), ['move.test 6.1', 'move.test/slow 6.3', 'move.test/two 6.2']);
  rmSync(join(account.filesRoot, 'move.test/slow'), { recursive: true });
  renameSync(join(account.filesRoot, 'move.test/two'), join(account.filesRoot, 'gone'));
  assert.equal(await seen(), ['move.test 6.1']);
  setDomains(account, { 'new.test': 'gone' });
  assert.equal(await seen(), ['new.test 6.2']);
  setDomains(account, {});
  assert.equal(await seen(), []);
});

test('sites are kept in the local store, and reported to the extension points', async () => {
  const { account, token } = await server.user('kept');
  write(account, { ...wordpress('kept.test', '6.0'), 'pages.test/index.html': '' });
  setDomains(account, { 'kept.test': 'kept.test', 'pages.test': 'pages.test' });
  const { plugins, core } = server.hostkeep;
  await installer(token); // starts the process that looks for sites: on a busy machine a part has no time for that
  const [part] = await plugins.gather('dashboard', account);
  assert.equal(part?.ok === true && part.value, {
    user_websites: [
      ['kept.test', 'WordPress'],
      ['pages.test', 'Static'],
    ],
  });
  const [sites] = await plugins.gather('sites', account);
  assert.is(sites?.ok === true && sites.value[0]?.site, 'kept.test');
  const [counts] = await plugins.gather('counts');
  const { n } = (await core.local.get<{ n: number }>('select count(*) as n from websites_sites')) ?? { n: 0 };
  assert.is(counts?.ok === true && counts.value.websites, n);
  assert.ok(n >= 1);
  await core.accounts.setFeature('kept', 'websites', false);
  const lesser = await core.accounts.get('kept');
  assert.equal(
    (await plugins.gather('dashboard', lesser)).map((each) => each.ok && each.value),
    [{}],
  );
  await core.accounts.remove('kept');
  assert.is(
    (
      await core.local.get<{ n: number }>(
        'select count(*) as n from websites_docroots where account_id = ?',
        account.id,
      )
    )?.n,
    0,
  );
});

test('the sweep reports accounts it cannot check, except removed ones', async () => {
  const [ann, bob] = [await server.account('swept'), await server.account('removed-in-sweep')];
  const { accounts } = server.hostkeep.core;
  const warnings: unknown[] = [];
  const isDone = new Promise<void>((done) => {
    const sweep = new Sweep({
      accounts,
      owners: async function* owners() {
        yield* [{ accountId: bob.id }, { accountId: ann.id }];
      },
      check: async ({ id }) => {
        if (id === bob.id) await accounts.remove(bob.username);
        else setImmediate(() => void sweep.close().then(done));
        throw new Error('no such row');
      },
      log: { warn: ({ account }: { account?: string }) => void warnings.push(account) } as unknown as Log,
      everyMs: 3_600_000,
    });
  });
  await isDone;
  assert.equal(warnings, ['swept']);
});

test('only sites of accounts that live here are checked', async () => {
  const [away, here] = [await server.account('away'), await server.account('here')];
  const { accounts } = server.hostkeep.core;
  const inFleet = { byId: (id: number) => accounts.byId(id), isHere: ({ id }: Account) => id === here.id };
  const checked: string[] = [];
  await new Promise<void>((done) => {
    const sweep = new Sweep({
      accounts: inFleet as unknown as Accounts,
      owners: async function* owners() {
        yield* [{ accountId: away.id }, { accountId: here.id }];
      },
      check: ({ username }) => {
        checked.push(username);
        setImmediate(() => void sweep.close().then(done));
      },
      log: createLog('silent'),
      everyMs: 3_600_000,
    });
  });
  assert.equal(checked, ['here']);
});

test('a long check gives the sites of the last one, and no empty list without one', async () => {
  const [{ account: known }, { account: unknown }] = [await server.user('known'), await server.user('unknown')];
  write(known, wordpress('known.example', '6.5'));
  setDomains(known, { 'known.example': 'known.example' });
  const [found] = await server.hostkeep.plugins.gather('sites', known);
  assert.is(found?.ok, true);
  const { local, accounts } = server.hostkeep.core;
  const sites = new Sites({
    jobs: {
      open: () => ({ run: () => new Promise(() => undefined), close: () => Promise.resolve() }),
      ownerOf: () => undefined,
    } as unknown as AccountJobs,
    local,
    accounts,
    domains: { list: () => domains.get(known.id) ?? [], async *all() {}, onChange: () => () => undefined },
    log: createLog('silent'),
    virtualRoot: '/var/www/html',
    checkMs: 0,
    onFronts: () => assert.unreachable('nothing was scanned'),
  });
  assert.equal(
    (await sites.lately(known)).map(({ site, type }) => [site, type]),
    [['known.example', 'wordpress']],
  );
  assert.is(await sites.lately(unknown).catch(() => 'not known'), 'not known');
});
