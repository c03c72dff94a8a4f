import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import type { EventInput } from '../../../../kernel/store/events/audit-log.ts';
import { hasCaddy } from '../../../support/caddy.ts';
import { isRunning } from '../../../../kernel/kit/programs/process-id.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx } from '../../../support/nginx.ts';
import type { Page } from '../../../support/page.ts';
import { caddy, FIRST, inHouse, nginx, processesOf, type Serving } from '../house.ts';
import { hasPhp } from '../php.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

await needs('domains', 'webserver', 'websites');
const [VERSION = ''] = await installedVersions();
const test = testSuite('php-served');

function serves(name: string, start: () => Promise<Serving>): void {
  test(`${name} has scripts run as the account, with its options, and shows no source`, () =>
    inHouse(start, async ({ customer: open }) => {
      const ann = await open('ann');
      ann.put('index.php', '<?php echo "uid ", posix_geteuid(), " ", $_SERVER["REQUEST_URI"], " ", $_GET["a"] ?? "-";');
      ann.put(
        'info.php',
        '<?php echo ini_get("memory_limit"), " ", ini_get("upload_max_filesize"), " ", ini_get("max_execution_time"), " ", date_default_timezone_get(), " ", ini_get("display_errors");',
      );
      ann.put('wp-config.php', '<?php echo "secret";');
      ann.put('page.html', 'a page');
      assert.equal([(await ann.get('/index.php')).status, (await ann.get('/')).status !== 200], [404, true]);
      const set = await ann.set('version', { version: VERSION });
      assert.is(set.status, 200, JSON.stringify(set.body));
      assert.is((await ann.get('/')).body, `uid ${FIRST + ann.id} / -`);
      assert.is((await ann.get('/blog/post?a=b')).body, `uid ${FIRST + ann.id} /blog/post?a=b b`);
      assert.is((await ann.get('/page.html')).body, 'a page');
      assert.is((await ann.get('/info.php')).body, '128M 64M 60 UTC 0');
      assert.equal([(await ann.get('/wp-config.php')).status, (await ann.get('/.user.ini')).status], [404, 404]);
      for (const path of ['/index.PHP', '/index.phps', '/missing.php'])
        assert.not.match((await ann.get(path)).body, /<\?php/);
      const options = {
        memory_mib: 200,
        upload_mib: 8,
        execution_seconds: 5,
        display_errors: true,
        timezone: 'Europe/Paris',
      };
      assert.equal((await ann.set('options', options)).body['options'], options);
      assert.is((await ann.get('/info.php')).body, '200M 8M 5 Europe/Paris 1');
      assert.is((await ann.set('version', { version: '' })).status, 200);
      assert.is((await ann.get('/index.php')).status, 404);
    }));
}

function servesFronts(name: string, start: () => Promise<Serving>): void {
  test(`${name} has an application below the document root answer for what is no file there`, () =>
    inHouse(
      start,
      async ({ server, customer: open }) => {
        const ann = await open('ann');
        const told = '" ", $_SERVER["SCRIPT_NAME"], " ", $_SERVER["REQUEST_URI"], " ", $_GET["a"] ?? "-";';
        ann.put('index.php', `<?php echo "site", ${told}`);
        ann.put('blog/index.php', `<?php echo "blog", ${told}`);
        ann.put('blog/wp-content/style.css', 'a style');
        assert.is((await ann.set('version', { version: VERSION })).status, 200);
        assert.is((await ann.get('/blog/post?a=b')).body, 'site /index.php /blog/post?a=b b');
        const answers = (path: string, body: string) =>
          until(`${path} is answered by ${body}`, async () => {
            await server.ask('/api/auto-installer', { token: ann.token });
            return (await ann.get(path)).body === body;
          });
        ann.put('blog/wp-includes/version.php', "<?php\n$wp_version = '6.5';\n");
        await answers('/blog/post?a=b', 'blog /blog/index.php /blog/post?a=b b');
        assert.is((await ann.get('/blog/')).body, 'blog /blog/index.php /blog/ -');
        assert.is((await ann.get('/blog/wp-content/style.css')).body, 'a style');
        assert.is((await ann.get('/blogs/post')).body, 'site /index.php /blogs/post -');
        assert.is((await ann.get('/blog/.git/config')).status, 404);
        rmSync(join(ann.docroot, 'blog/wp-includes'), { recursive: true });
        await answers('/blog/post', 'site /index.php /blog/post -');
      },
      {},
      { websites: { check_seconds: 0 } },
    ));
}

/** Reads by all means what belongs to others, and prints what it got. */
const SHELL = `<?php
  error_reporting(0);
  $told = json_decode(file_get_contents('php://input') ?: '[]', true);
  foreach (explode("\n", $_GET['paths']) as $path) {
    $told[] = file_get_contents($path);
    @unlink(__DIR__ . '/link');
    symlink($path, __DIR__ . '/link');
    $told[] = file_get_contents(__DIR__ . '/link');
    $told[] = shell_exec('cat ' . escapeshellarg($path) . ' 2>&1');
    $told[] = implode(' ', scandir(dirname($path)) ?: []);
    $socket = stream_socket_client('unix://' . $path);
    $told[] = $socket ? 'connected' : 'closed';
  }
  $told[] = shell_exec('cat /proc/*/cmdline /proc/*/environ 2>/dev/null | tr "\\0" " "');
  $told[] = shell_exec('id; ps aux');
  echo implode("\n", $told);`;

if (hasPhp()) {
  for (const each of [serves, servesFronts]) {
    if (hasNginx()) each('nginx', nginx);
    if (hasCaddy()) each('Caddy', caddy);
  }
}

if (hasPhp() && hasNginx()) {
  test('a new domain gets the version of the configuration, if its owner may', () =>
    inHouse(
      nginx,
      async ({ server, customer: open }) => {
        const { core } = server.hostkeep;
        await core.plans.create('plain', {}, ['domains', 'php_options']);
        const bea = await open('bea', 'plain');
        const ann = await open('ann');
        for (const each of [ann, bea]) each.put('index.php', '<?php echo "it runs";');
        assert.is((await ann.get()).body, 'it runs', 'from the start');
        assert.is((await bea.get('/index.php')).status, 404, 'which was added before');
        const { body } = await server.ask('/api/php', { token: ann.token });
        assert.equal(body['versions'], [VERSION]);
        const refused = await ann.set('version', { version: '5.2' });
        assert.equal([refused.status, refused.body['error']], [404, 'php_version_not_found']);
        const health = await server.health('php');
        assert.match(health.find(({ name }) => name === 'versions')?.detail ?? '', /names PHP 5\.2, which nobody/);

        assert.is((await ann.set('version', { version: '' })).status, 200);
        const account = await core.accounts.get('ann');
        const row = await core.store.get<{ id: number }>('select id from domains where account_id = ?', ann.id);
        const data = { domain_url: ann.domain, domain_id: row?.id ?? 0 };
        // of a plugin that may not be there
        const again = { type: 'domain.added', account, text: 'added', ip: '', data } as object as EventInput;
        await core.store.write((tx) => core.events.record(tx, again));
        const reloads = async () => {
          const parts = await server.hostkeep.plugins.gather('metrics');
          const metrics = parts.flatMap((part) => (part.ok ? part.value : []));
          return metrics.find(({ name }) => name === 'hostkeep_webserver_reloads_total')?.samples[0]?.value ?? 0;
        };
        const before = await reloads();
        const cleo = await open('cleo');
        cleo.put('index.php', '<?php echo "it runs";');
        assert.is((await cleo.get()).body, 'it runs', 'the next domain');
        await until('it is stored', async () => {
          const { body: stored } = await server.ask<{ sites: { version: string }[] }>('/api/php', {
            token: cleo.token,
          });
          return stored.sites[0]?.version === VERSION;
        });
        assert.is((await reloads()) - before, 1, 'the web server read its configuration once for it');
        assert.is((await ann.get('/index.php')).status, 404, 'which has chosen none');
      },
      { versions: ['5.2', VERSION], default_version: 'newest' },
    ));

  // threat other-accounts: scripts of an account read nothing of others, by whatever means they start programs
  test('a shell in one account reads nothing of another, or of the server', () =>
    inHouse(
      nginx,
      async ({ server, run, customer: open }) => {
        const [ann, bea] = [await open('ann'), await open('bea')];
        bea.put('index.php', '<?php $password = "secret-of-bea"; echo "bea";');
        ann.put('shell.php', SHELL);
        for (const each of [ann, bea]) assert.is((await each.set('version', { version: VERSION })).status, 200);
        assert.is((await bea.get()).body, 'bea');
        const sockets = readdirSync(join(run, String(bea.id))).filter((file) => file.endsWith('.sock'));
        assert.is(sockets.length, 1);
        const paths = [
          join(bea.docroot, 'index.php'),
          join(bea.filesRoot, '.php/sessions'),
          ...sockets.map((file) => join(run, String(bea.id), file)),
          ...readdirSync(server.data).map((file) => join(server.data, file)),
          '/etc/shadow',
          `/proc/${process.pid}/environ`,
          `/proc/${process.pid}/root/etc/shadow`,
          `/proc/${process.pid}/cwd/package.json`,
        ];
        const told = (await ann.get(`/shell.php?paths=${encodeURIComponent(paths.join('\n'))}`)).body;
        assert.match(told, new RegExp(`uid=${FIRST + ann.id}\\b`), 'it ran');
        for (const secret of [/secret-of-bea/, /connected/, /root:[^:\n]*:\d+:/, /HOSTKEEP_/, /"name": "hostkeep"/])
          assert.not.match(told.replaceAll(/^.*(No such file|Permission denied|Not a directory).*$/gm, ''), secret);
        assert.not.match(told, /^root(?!.*php-fpm)/m, 'no process of the server is seen');
      },
      { disabled_functions: [] },
    ));

  test('what an operator disables and what lies outside is closed to scripts', () =>
    inHouse(nginx, async ({ customer: open }) => {
      const ann = await open('ann');
      ann.put(
        'index.php',
        '<?php error_reporting(0); echo function_exists("system") ? "system" : "none", " ", file_get_contents("/etc/hostname") === false ? "closed" : "open", " ", ini_set("memory_limit", "1G") === false ? "kept" : "changed", " ", session_save_path();',
      );
      await ann.set('version', { version: VERSION });
      assert.is((await ann.get()).body, `none closed kept ${ann.filesRoot}/.php/sessions`);
    }));

  test('versions and options that cannot be had are refused, and nothing changes', () =>
    inHouse(
      nginx,
      async ({ server, run, customer: open }) => {
        await server.hostkeep.core.plans.create('small', { limits: { php_memory_limit_mib: 64 } }, [
          'domains',
          'php',
          'php_options',
        ]);
        const ann = await open('ann', 'small');
        const [refused, outside] = [
          await ann.set('version', { version: '1.0' }),
          await ann.set('version', { version: '../8' }),
        ];
        assert.equal([refused.status, refused.body['error'], outside.status], [404, 'php_version_not_found', 400]);
        for (const options of [
          { memory_mib: 65 },
          { upload_mib: 101 },
          { execution_seconds: 31 },
          { execution_seconds: 0 },
          { timezone: 'Mars/Olympus' },
          { timezone: 'UTC"\nuser = root' },
          { display_errors: 'on' },
          { open_basedir: '/' },
        ])
          assert.is((await ann.set('options', options)).status, 400, JSON.stringify(options));
        assert.is((await ann.set('version', { version: VERSION })).status, 200);
        ann.put('index.php', '<?php echo ini_get("memory_limit");');
        assert.is((await ann.get()).body, '64M', 'what the plan allows of the default');
        const { body } = await server.ask<{ sites: object[] }>('/api/php', { token: ann.token });
        assert.is(body.sites.length, 1);
        const { token } = await server.user('eve');
        const foreign = { method: 'PUT', token, body: { version: VERSION } };
        assert.is((await server.ask(`/api/php/sites/${ann.domain}/version`, foreign)).status, 404);
        assert.equal(readdirSync(run), [String(ann.id)]);
      },
      { max_upload_mib: 100, max_seconds: 30 },
    ));

  test('options change under load without a lost request', () =>
    inHouse(
      nginx,
      async ({ customer: open }) => {
        const ann = await open('ann');
        ann.put('index.php', '<?php usleep(100000); echo "done ", ini_get("memory_limit");');
        await ann.set('version', { version: VERSION });
        const end = new AbortController();
        const answers: Page[] = [];
        const visit = async () => {
          while (!end.signal.aborted) answers.push(await ann.get());
        };
        const visitors = [visit(), visit(), visit()];
        for (const memory_mib of [130, 140, 128]) assert.is((await ann.set('options', { memory_mib })).status, 200);
        await until('answers by the last options', () => answers.at(-1)?.body === 'done 128M' && answers.length > 20);
        end.abort();
        await Promise.all(visitors);
        assert.equal(
          answers.filter(({ body }) => !body.startsWith('done ')),
          [],
        );
        assert.ok(
          answers.some(({ body }) => body === 'done 140M'),
          'the change was seen in between',
        );
      },
      { drain_seconds: 3 },
    ));

  test('what suspension and removal end leaves no process, socket or file', () =>
    inHouse(
      nginx,
      async ({ server, run, customer: open, change }) => {
        const ann = await open('ann');
        const uid = FIRST + ann.id;
        ann.put('index.php', '<?php shell_exec("setsid sleep 1000 >/dev/null 2>&1 &"); echo "started";');
        await ann.set('version', { version: VERSION });
        assert.is((await ann.get()).body, 'started');
        await until('its processes', () => processesOf(uid).length > 0);
        await change('ann', 'suspend');
        await until('no process of a suspended account', () => processesOf(uid).length === 0);
        await until('no folder of sockets', () => !existsSync(join(run, String(ann.id))));
        await until('the page of a suspended site', async () => (await ann.get()).status === 503);
        await change('ann', 'unsuspend');
        await until('the site again', async () => (await ann.get()).body === 'started');
        await server.hostkeep.core.accounts.remove('ann');
        await until('no process of a removed account', () => processesOf(uid).length === 0);
        await until('no folder of a removed account', () => !existsSync(join(run, String(ann.id))));
      },
      { disabled_functions: [] },
    ));

  test('PHP that nobody asks ends, and the next request starts it', () =>
    inHouse(
      nginx,
      async ({ run, customer: open, change }) => {
        const ann = await open('ann');
        ann.put('index.php', '<?php usleep(50000); echo str_repeat("here ", 20000);');
        await ann.set('version', { version: VERSION });
        const page = 'here '.repeat(20_000);
        const folder = join(run, String(ann.id));
        const masters = () =>
          readdirSync(folder)
            .filter((file) => /\.(master|ending)$/.test(file))
            .filter((file) => isRunning(readFileSync(join(folder, file), 'utf8')));
        const isAsleep = () => readdirSync(folder).some((file) => file.endsWith('.asleep'));
        for (let round = 0; round < 3; round += 1) {
          await until('it is asleep', isAsleep);
          if (round > 0)
            await until('no process is left', () => masters().length === 0 && processesOf(FIRST + ann.id).length === 0);
          // in the first round, while the master before may still be there
          const pages = await Promise.all(Array.from({ length: 20 }, () => ann.get()));
          assert.equal(
            pages.filter(({ body }) => body !== page),
            [],
          );
          assert.not(isAsleep());
        }
        await until('it is asleep', isAsleep);
        assert.is((await ann.read('info')).status, 200, 'what asks it starts it, too');
        await until('it is asleep', isAsleep);
        await ann.set('version', { version: '' });
        await until('no pool is left', () => readdirSync(folder).length === 0);
        await ann.set('version', { version: VERSION });
        await until('it is asleep', isAsleep);
        await change('ann', 'suspend');
        await until('no folder of sockets', () => !existsSync(folder));
        await change('ann', 'unsuspend');
        await until('the site again', async () => (await ann.get()).body === page);
      },
      { idle_seconds: 1 },
    ));

  test('a master that was killed is started again, and one that no domain needs ends', () =>
    inHouse(nginx, async ({ run, customer: open }) => {
      const ann = await open('ann');
      ann.put('index.php', '<?php echo "here";');
      await ann.set('version', { version: VERSION });
      const folder = join(run, String(ann.id));
      const files = (ending: string) => readdirSync(folder).filter((file) => file.endsWith(ending));
      const [master = ''] = files('.master');
      process.kill(Number.parseInt(readFileSync(join(folder, master), 'utf8'), 10), 'SIGKILL');
      await until('it answers again', async () => (await ann.get()).body === 'here');
      await ann.set('version', { version: '' });
      await until('no pool is left', () => readdirSync(folder).length === 0);
    }));
}
