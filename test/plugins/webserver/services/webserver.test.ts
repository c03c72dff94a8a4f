import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:https';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { definePlugin } from '../../../../kernel/contract/plugin.ts';
import { PROCESS_ID } from '../../../../kernel/kit/programs/process-id.ts';
import webserverPlugin from '../../../../plugins/webserver/index.ts';
import { FolderLock } from '../../../../plugins/webserver/vhosts/folder-lock.ts';
import { compileTemplate } from '../../../../plugins/webserver/vhosts/template.ts';
import { vhostFileName, isVhostFile, VhostFolder } from '../../../../plugins/webserver/vhosts/vhost-folder.ts';
import { selfSigned } from '../../../support/certificate.ts';
import { startArmed } from '../armed.ts';
import { hostkeep, start as startProgram } from '../../../support/command.ts';
import { needs } from '../../../support/needs.ts';
import { memberFolder } from '../../../support/node-pair.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { allPlugins, TestServer } from '../../../support/hostkeep.ts';
import { fetchPage } from '../../../support/page.ts';
import { freePort } from '../../../support/port.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

const [domains] = await needs('domains');
const test = testSuite('webserver');
const hasReal = hasNginx();
let nginx: Nginx;
test.before(async () => {
  if (hasReal) nginx = await Nginx.start();
});
test.after(async () => {
  if (hasReal) await nginx.remove();
});

const holder = () => `${PROCESS_ID} ${randomUUID()}`;

test('one process holds the lock on the folder, and releases it for the next', async () => {
  const folder = new VhostFolder(temporaryFolder());
  const [first, second] = [new FolderLock(folder, holder()), new FolderLock(folder, holder())];
  assert.is(await first.acquire(), 'acquired');
  assert.is(await second.acquire(), 'taken-over', 'another configuration of the same process');
  await first.release();
  assert.is(await new FolderLock(folder, holder()).acquire(), 'taken-over');
  await folder.put('.hostkeep-owner', `${process.pid}:1 x`);
  assert.is(await first.acquire(), 'acquired', 'another process had the same id');
  await first.release();
  assert.equal(await folder.names(), []);
});

const values = {
  domain: 'shop.example',
  docroot: '/srv/ann/shop',
  files_root: '/srv/ann',
  username: 'ann',
  listen: '80',
  vhost_folder: '/etc/nginx/hostkeep.d',
  logs: '',
  redirects: '',
  php: '',
  tls: '',
};

// threat shell-injection: virtual host templates take only checked values
// asvs 1.3.3, 1.3.7: virtual host templates take only checked values
test('a template is filled with what cannot be read as anything else', () => {
  const render = compileTemplate(
    'server_name {{domain}}; root "{{docroot}}"; # {{username}} {{files_root}} {{listen}}',
  );
  assert.match(
    render(7, { ...values, docroot: '/srv/ann/größe & more' }),
    /server_name shop\.example; root "\/srv\/ann\/größe & more"; # ann \/srv\/ann 80$/,
  );
  for (const docroot of ['a"b', 'a;b', 'a$b', 'a{b', 'a}b', 'a\nb', 'a\\b', "a'b", 'a`b', 'a#b', 'a\u007fb'])
    assert.throws(() => render(7, { ...values, docroot: `/srv/${docroot}` }), /cannot serve a folder/, docroot);
  for (const domain of [
    '',
    'localhost',
    '-a.example',
    'a..example',
    'A.example',
    'a.example;',
    'a_b.example',
    '*.example',
    'a.example\n',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(126)}aa`,
    '../x.example',
  ]) {
    assert.throws(() => render(7, { ...values, domain }), /cannot serve this name/, domain);
  }
  assert.throws(() => render(7, { ...values, username: 'a b' }));
  assert.throws(
    () => render(7, values, ['php']),
    (error: Error) => /\{\{php\}\}/.test(String(error)),
  );
  assert.throws(() => compileTemplate('server_name {{domain}} {{unknown}}'), /\{\{unknown\}\}/);
  assert.throws(() => compileTemplate('server {}'), /\{\{domain\}\}/);
});

test('a domain of any length has a file of its own', async () => {
  const long = (last: string) => `${'a'.repeat(62)}.${'b'.repeat(62)}.${'c'.repeat(62)}.${'d'.repeat(58)}.${last}`;
  assert.is(vhostFileName('shop.example'), 'hostkeep-shop.example.conf');
  assert.is.not(vhostFileName(long('xa')), vhostFileName(long('xb')));
  assert.ok(vhostFileName(long('xa')).length <= 255 && isVhostFile(vhostFileName(long('xa'))));
  const folder = new VhostFolder(temporaryFolder());
  const names = [long('xa'), long('xa').slice(-200)].map(vhostFileName);
  for (const name of names) await folder.put(name, name);
  assert.equal((await folder.names()).toSorted(), names.toSorted());
  assert.ok(
    !isVhostFile('default.conf') && !isVhostFile('hostkeep-beacon.conf') && !isVhostFile('hostkeep-x.conf.bak'),
  );
});

test('without a driver the plugin does not react to domains', async () => {
  const server = await TestServer.start();
  const status = server.hostkeep.node.plugins().find(({ name }) => name === 'webserver');
  assert.is(status?.state, 'ready');
  assert.equal(status?.provides, ['demoOutside', 'doctor']);
  const part = (await server.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'webserver');
  assert.ok(part?.ok === true && part.value[0]?.isWarning === true, 'nobody serves the domains');
});

test('without the web server program a domain is refused, and doctor says why', async () => {
  await withServer(
    {
      driver: 'nginx',
      vhost_folder: join(temporaryFolder(), 'vhosts'),
      check: ['/nonexistent/nginx'],
      version: ['/nonexistent/nginx'],
    },
    async (server) => {
      const { token } = await server.user('ann');
      const { status, body } = await add(server, token, 'shop.example');
      assert.equal([status, body['error']], [502, 'webserver_failed']);
      assert.is((await server.ask('/api/domains', { token })).body['total'], 0);
      const finding = (await server.gathered('doctor')).find(({ name }) => name === 'web server');
      assert.ok(finding?.ok === false && /nonexistent/.test(finding.detail));
    },
  );
});

if (hasReal) {
  test('an added domain is served at once, and a removed one no longer', async () => {
    await withServer(nginx.settings, async (server) => {
      const { account, token } = await server.user('ann');
      assert.is((await nginx.fetch('shop.example')).status, 0);
      assert.is((await add(server, token, 'shop.example', 'my shop/öffentlich')).status, 201);
      writeFileSync(join(account.filesRoot, 'my shop/öffentlich/index.html'), 'Welcome to the shop');
      writeFileSync(join(account.filesRoot, 'my shop/öffentlich/.env'), 'SECRET');
      assert.equal(await nginx.fetch('shop.example'), { status: 200, body: 'Welcome to the shop' });
      assert.is((await nginx.fetch('shop.example', '/.env')).status, 404);
      mkdirSync(join(account.filesRoot, 'my shop/öffentlich/sale'));
      const { status, location } = await nginx.fetch('shop.example', '/sale');
      assert.equal([status, location], [301, '/sale/'], 'clients may reach it at another port');
      assert.is((await nginx.fetch('other.example')).status, 0);
      assert.is((await remove(server, token, 'shop.example')).status, 200);
      assert.is((await nginx.fetch('shop.example')).status, 0);
      assert.equal(vhosts(), []);
    });
  });

  test('sites answer on IPv4 and IPv6, and names of no domain are closed', async () => {
    const port = await freePort(); // where no other virtual host is the default
    await withServer({ ...nginx.settings, listen: String(port) }, async (server) => {
      const { account, token } = await server.user('ann');
      assert.is((await add(server, token, '0.example')).status, 201);
      writeFileSync(join(account.filesRoot, '0.example/index.html'), 'Welcome');
      for (const address of ['127.0.0.1', '::1']) {
        assert.is((await fetchPage(port, '0.example', '/', { at: address })).body, 'Welcome', address);
        assert.is((await fetchPage(port, 'nobody.example', '/', { at: address })).status, 0, address);
      }
    });
  });

  test('over TLS too, a name of no domain gets nothing of a customer', async () => {
    const [plain, secure] = [await freePort(), await freePort()];
    const { cert, key } = selfSigned('0.example');
    const template = join(temporaryFolder(), 'vhost.conf');
    const tls = `listen ${secure} ssl; listen [::]:${secure} ssl; ssl_certificate ${cert}; ssl_certificate_key ${key};`;
    writeFileSync(template, `server { listen {{listen}}; ${tls} server_name {{domain}}; return 200 "{{domain}}"; }`);
    const ask = (servername: string, host: string) =>
      new Promise<string>((resolve) => {
        const options = { host, port: secure, servername, headers: { host: servername }, rejectUnauthorized: false };
        const sent = get({ ...options, agent: false }, (response) => {
          response.setEncoding('utf8').once('data', resolve);
        });
        sent.on('error', ({ message }) => resolve(message));
      });
    await withServer({ ...nginx.settings, listen: String(plain), template }, async (server) => {
      const { token } = await server.user('ann');
      assert.is((await add(server, token, '0.example')).status, 201);
      for (const address of ['127.0.0.1', '::1']) {
        assert.is(await ask('0.example', address), '0.example');
        assert.match(await ask('nobody.example', address), /unrecognized name/);
        assert.is((await fetchPage(plain, 'nobody.example', '/', { at: address })).status, 0);
      }
    });
  });

  test('a virtual host that the web server refuses is told, and served once it is mended', async () => {
    const broken = join(nginx.vhostFolder, 'zz-operator.conf');
    const found = async (server: TestServer, point: 'doctor' | 'health') => {
      const part = (await server.hostkeep.plugins.gather(point)).find(({ plugin }) => plugin === 'webserver');
      return part?.ok === true ? part.value.find(({ name }) => name === 'virtual hosts') : undefined;
    };
    await withServer(
      nginx.settings,
      async (server) => {
        const { token } = await server.user('ann');
        assert.is((await add(server, token, 'shop.example')).status, 201);
        assert.equal([(await found(server, 'doctor'))?.ok, await found(server, 'health')], [true, undefined]);
      },
      async (server) => {
        assert.not(vhosts().includes('hostkeep-shop.example.conf'));
        assert.match((await found(server, 'doctor'))?.detail ?? '', /not as the domain needs it: shop\.example$/);
        assert.match(
          (await found(server, 'health'))?.detail ?? '',
          /changes that the domains need were not made.*nginx/s,
        );
        rmSync(broken);
        await until('its file is back', () => vhosts().includes('hostkeep-shop.example.conf'));
        await until('it is well', async () => (await found(server, 'health')) === undefined);
        assert.is((await found(server, 'doctor'))?.ok, true);
      },
      () => {
        rmSync(join(nginx.vhostFolder, 'hostkeep-shop.example.conf'));
        writeFileSync(broken, 'server { listen');
      },
    );
  });

  test('a reload says what the web server lacks', async () => {
    const data = temporaryFolder();
    const config = join(data, 'config.json');
    writeFileSync(config, JSON.stringify({ webserver: nginx.settings }));
    const { child } = await startProgram(data, ['serve', '--workers', '2', '--config', config], /"all workers serve"/);
    const broken = join(nginx.vhostFolder, 'zz-operator.conf');
    const reload = async () => (await hostkeep(data, ['--config', config, 'reload'])).stdout;
    assert.not.match(await reload(), /webserver/);
    writeFileSync(broken, 'server { listen');
    assert.match(await reload(), /^the configuration was reloaded\n(?:.*\n)*webserver: .* were not made: .*nginx/m);
    rmSync(broken);
    assert.not.match(await reload(), /webserver/);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  test('a document root that the web server would misread is refused', async () => {
    await withServer(nginx.settings, async (server) => {
      const { token } = await server.user('ann');
      const { status, body } = await add(server, token, 'shop.example', 'a"; return 200 "x');
      assert.equal([status, body['error']], [400, 'invalid_docroot']);
      assert.equal(vhosts(), []);
    });
  });

  const refused = async (settings: Record<string, unknown>, seen: (reloadsBefore: number) => void) => {
    const template = join(temporaryFolder(), 'vhost.conf');
    writeFileSync(template, 'server { listen {{listen}}; server_name {{domain}}; return 200 "{{username}}"; }');
    const good = () => readFileSync(join(nginx.vhostFolder, 'hostkeep-good.example.conf'), 'utf8');
    let before = '';
    await withServer(
      { ...settings, template },
      async (server) => {
        const { token } = await server.user('ann');
        assert.is((await add(server, token, 'good.example')).status, 201);
        assert.equal(await nginx.fetch('good.example'), { status: 200, body: 'ann' });
        before = good();
      },
      async (server, token) => {
        const reloads = nginx.reloads();
        const { status, body } = await add(server, token, 'bad.example');
        assert.equal([status, body['error']], [502, 'webserver_failed']);
        assert.not.match(JSON.stringify(body), /vhosts|nginx/);
        // what is left to reconcile is tried again meanwhile, and taken back
        await until(
          'its only file is as before',
          () => vhosts().join() === 'hostkeep-good.example.conf' && good() === before,
        );
        seen(reloads);
        assert.is((await nginx.fetch('bad.example')).status, 0);
        assert.equal(await nginx.fetch('good.example'), { status: 200, body: 'ann' });
        assert.is((await server.ask('/api/domains', { token })).body['total'], 1);
        const broken = join(nginx.vhostFolder, 'zz-operator.conf');
        writeFileSync(broken, 'server { listen');
        assert.is((await remove(server, token, 'good.example')).status, 502, 'a removal is refused too');
        rmSync(broken);
        assert.is((await server.ask('/api/domains', { token })).body['total'], 1);
        assert.equal(await nginx.fetch('good.example'), { status: 200, body: 'ann' });
        assert.is((await remove(server, token, 'good.example')).status, 200);
      },
      () => writeFileSync(template, 'server { listen {{listen}}; server_name {{domain}}; no_such_directive on; }'),
    );
  };

  test('a change that the web server refuses has no effect', () => refused(nginx.settings, () => undefined));

  test('a command for reloads that refuses a change signals nobody', () =>
    refused({ ...nginx.settings, pid_file: '' }, (before) => assert.is(nginx.reloads(), before)));

  test('nginx is signaled where its process is known, and by the command where not', async () => {
    const noted = join(temporaryFolder(), 'reloads');
    const program = join(temporaryFolder(), 'nginx');
    writeFileSync(program, `#!/bin/sh\necho >> ${noted}\nexec ${nginx.command('-s', 'reload').join(' ')}\n`, {
      mode: 0o755,
    });
    const other = join(temporaryFolder(), 'other.pid');
    writeFileSync(other, `${process.pid}\n`);
    for (const [pid_file, isCommand] of [
      [join(nginx.folder, 'nginx.pid'), false],
      [join(nginx.folder, 'missing.pid'), true],
      [other, true],
      ['', true],
    ] as const) {
      rmSync(noted, { force: true });
      await withServer({ ...nginx.settings, reload: [program], pid_file }, async (server) => {
        const { token } = await server.user('ann');
        assert.is((await add(server, token, 'known.example')).status, 201);
        assert.is((await nginx.fetch('known.example')).status, 403, 'the folder is empty');
        assert.is(existsSync(noted), isCommand, pid_file);
        assert.is((await remove(server, token, 'known.example')).status, 200);
      });
    }
  });

  test('what nginx read before the check ran out of time is undone there too', async () => {
    const slow = { check: ['sleep', '60'], command_timeout_ms: 500 };
    await withServer({ ...nginx.settings, ...slow }, async (server) => {
      const { token } = await server.user('ann');
      assert.is((await add(server, token, 'slow.example')).status, 502);
      assert.equal(vhosts(), []);
      await until('nginx forgets the site', async () => (await nginx.fetch('slow.example')).status === 0);
    });
  });

  test('a change is checked by the reload, or before one that checks nothing', async () => {
    const noted = join(temporaryFolder(), 'checks');
    const checks = () => (existsSync(noted) ? readFileSync(noted, 'utf8').length : 0);
    const shell = (command: string) => ['/bin/sh', '-c', command];
    const check = shell(`printf x >> ${noted}; exec ${nginx.command('-t', '-q').join(' ')}`);
    await withServer({ ...nginx.settings, check, pid_file: '' }, async (server) => {
      const { token } = await server.user('ann');
      const before = checks();
      assert.is((await add(server, token, 'once.example')).status, 201);
      assert.is(checks(), before);
      const broken = join(nginx.vhostFolder, 'zz-operator.conf');
      writeFileSync(broken, 'server { listen');
      assert.is((await add(server, token, 'refused.example')).status, 502);
      rmSync(broken);
      assert.ok(checks() > before, 'the check says who is to blame');
    });
    const reload = shell(nginx.command('-s', 'reload').join(' '));
    await withServer({ ...nginx.settings, check, reload }, async (server) => {
      const { token } = await server.user('ann');
      const before = checks();
      assert.is((await add(server, token, 'twice.example')).status, 201);
      assert.is(checks(), before + 1);
    });
  });

  test('a domain is acknowledged only when it is served', async () => {
    const late = ['/bin/sh', '-c', `(sleep 1; ${nginx.command('-s', 'reload').join(' ')}) >/dev/null 2>&1 &`];
    await withServer({ ...nginx.settings, reload: late }, async (server) => {
      const { token } = await server.user('ann');
      assert.is((await add(server, token, 'late.example')).status, 201);
      assert.is((await nginx.fetch('late.example')).status, 403, 'the folder is empty');
      assert.is((await remove(server, token, 'late.example')).status, 200);
    });
  });

  test('a reload without effect is a failure', async () => {
    await withServer({ ...nginx.settings, reload: ['true'], served_timeout_ms: 300 }, async (server) => {
      const { token } = await server.user('ann');
      assert.is((await add(server, token, 'never.example')).status, 502);
      assert.equal(vhosts(), []);
    });
  });

  test("what an operator's template names is the operator's to move", async () => {
    const template = join(temporaryFolder(), 'vhost.conf');
    writeFileSync(template, 'server { listen {{listen}}; server_name {{domain}}; }');
    for (const [settings, left] of [
      [nginx.settings, []],
      [{ ...nginx.settings, template }, [`see that two has what ${template} names, such as certificates`]],
    ] as const)
      await withServer(settings, async (server) => {
        const { account } = await server.user('ann');
        const part = (await server.hostkeep.plugins.gather('move')).find(({ plugin }) => plugin === 'webserver');
        assert.equal(part?.ok === true && (await part.value.leftToDo?.(account, 'two')), left);
      });
  });

  test('a hundred domains are served after a few reloads, except refused ones', async () => {
    const template = join(temporaryFolder(), 'vhost.conf');
    writeFileSync(
      template,
      'server { listen {{listen}}; server_name {{domain}}; root "{{docroot}}"; set $part "{{docroot}}"; include "{{docroot}}/*.refused"; return 200 "{{domain}}"; }',
    );
    await withServer({ ...nginx.settings, template }, async (server) => {
      const { account, token } = await server.user('ann');
      const names = Array.from({ length: 100 }, (_, i) => `site${i}.example`);
      const before = nginx.reloads();
      const others = await Promise.all(['bob', 'cleo', 'dan'].map((name) => server.user(name)));
      const tokens = [token, ...others.map((other) => other.token)];
      // A busy machine may be too late for one, and say so.
      const adding = names.map((name, i) =>
        eventually(
          `${name} in time`,
          () => add(server, tokens[i % tokens.length] ?? '', name),
          ({ status }) => status !== 503,
        ),
      );
      const statuses = (await Promise.all(adding)).map(({ status }) => status);
      assert.equal([...new Set(statuses)], [201]);
      const reloads = nginx.reloads() - before;
      assert.ok(reloads < names.length / 2, `${reloads} reloads`); // how few depends on how busy the machine is
      for (const name of names) assert.is((await nginx.fetch(name)).body, name);
      await add(server, token, 'kept.example', 'marked');
      writeFileSync(join(account.filesRoot, 'marked/x.refused'), '');
      const more = Array.from({ length: 20 }, (_, i) => `more${i}.example`);
      await server.ask('/api/domains/new', {
        method: 'POST',
        token,
        body: { domain_url: 'x.example', docroot: 'broken' },
      });
      await remove(server, token, 'x.example');
      writeFileSync(join(account.filesRoot, 'broken/x.refused'), 'no_such_directive on;');
      const mixed = await Promise.all([
        ...more.map((name) => add(server, token, name)),
        add(server, token, 'bad1.example', 'broken'),
        add(server, token, 'bad2.example', 'broken'),
      ]);
      assert.equal(
        mixed.map(({ status }) => status),
        [...more.map(() => 201), 502, 502],
      );
      for (const name of more) assert.is((await nginx.fetch(name)).body, name);
      assert.is((await nginx.fetch('bad1.example')).status, 0);
    });
  });

  test('the start reconciles files with the domains, and keeps the files of others', async () => {
    writeFileSync(join(nginx.vhostFolder, 'mine.conf'), "# the operator's");
    const left = `.hostkeep-a.example.conf.${process.pid}:1.01234567.tmp`; // of an earlier process with the same id
    const beingWritten = `.hostkeep-a.example.conf.${PROCESS_ID}.01234567.tmp`;
    await withServer(
      nginx.settings,
      async (server) => {
        const { token } = await server.user('ann');
        for (const name of ['a.example', 'b.example']) assert.is((await add(server, token, name)).status, 201);
      },
      async () => {
        assert.equal(vhosts(), [beingWritten, 'hostkeep-a.example.conf', 'hostkeep-b.example.conf', 'mine.conf']);
        assert.match(
          readFileSync(join(nginx.vhostFolder, 'hostkeep-a.example.conf'), 'utf8'),
          /server_name a\.example/,
        );
        assert.is((await nginx.fetch('orphan.example')).status, 0);
        assert.is((await nginx.fetch('b.example')).status, 403, 'the folder is empty');
      },
      () => {
        writeFileSync(join(nginx.vhostFolder, 'hostkeep-a.example.conf'), '');
        for (const name of [left, beingWritten]) writeFileSync(join(nginx.vhostFolder, name), 'half');
        writeFileSync(
          join(nginx.vhostFolder, 'hostkeep-orphan.example.conf'),
          `server { listen ${nginx.port}; server_name orphan.example; return 200; }`,
        );
      },
    );
    const names = readdirSync(nginx.vhostFolder);
    assert.equal([names.includes(left), names.includes(beingWritten)], [false, true]);
    rmSync(join(nginx.vhostFolder, beingWritten));
  });

  test('a node of a fleet serves only the domains of its accounts', async () => {
    const data = memberFolder('one');
    for (const isFirst of [true, false]) {
      const server = await serve(data, nginx.settings);
      try {
        const { store } = server.hostkeep.core;
        if (isFirst) {
          for (const name of ['near', 'moved'])
            assert.is((await add(server, (await server.user(name)).token, `${name}.example`)).status, 201);
          assert.equal(vhosts().filter(isVhostFile), ['hostkeep-moved.example.conf', 'hostkeep-near.example.conf']);
          await store.write((tx) => tx.run("update accounts set home = 'two' where username = 'moved'"));
        } else {
          assert.equal(vhosts().filter(isVhostFile), ['hostkeep-near.example.conf']);
          assert.is((await store.all("select 1 from domains where state = 'active'")).length, 2);
        }
      } finally {
        await server.close();
      }
    }
  });

  for (const step of ['before the check', 'after the signal', 'before the reload', 'after the reload'] as const) {
    for (const change of ['new', 'delete'] as const) {
      test(`the next start repairs a kill ${step} of a change (${change})`, async () => {
        const data = temporaryFolder();
        const server = await serve(data, nginx.settings);
        const { token } = await server.user('ann');
        assert.is((await add(server, token, 'kept.example')).status, 201);
        await server.close();

        const armed = join(data, 'armed');
        const kill = `if [ -e '${armed}' ]; then kill -9 $PPID; fi`;
        const [check, reload] = [nginx.command('-t', '-q').join(' '), nginx.command('-s', 'reload').join(' ')];
        const program = join(data, 'nginx'); // by this name, its reload counts as a check
        const reloads = step === 'before the reload' ? `${kill}; ${reload}` : `${reload}; ${kill}`;
        writeFileSync(program, `#!/bin/sh\n${reloads}\n`, { mode: 0o700 });
        const script = {
          'before the check': { check: ['/bin/sh', '-c', `${kill}; ${check}`], reload: ['/bin/sh', program] },
          'after the signal': { check: ['/bin/sh', '-c', `${check}; ${kill}`] },
          'before the reload': { reload: [program], pid_file: '' },
          'after the reload': { reload: [program], pid_file: '' },
        }[step];
        const { child, url } = await startArmed(data, armed, { ...nginx.settings, ...script });
        const body = JSON.stringify({ domain_url: change === 'new' ? 'half.example' : 'kept.example' });
        const ended = once(child, 'exit');
        await fetch(`${url}/api/domains/${change}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body,
        }).catch(() => undefined);
        assert.is((await ended)[1], 'SIGKILL');

        const next = await serve(data, nginx.settings);
        try {
          const isKept = change === 'new';
          assert.is((await next.ask('/api/domains', { token })).body['total'], isKept ? 1 : 0);
          assert.is((await nginx.fetch('half.example')).status, 0);
          assert.is((await nginx.fetch('kept.example')).status, isKept ? 403 : 0);
          assert.is(readdirSync(nginx.vhostFolder).includes('hostkeep-kept.example.conf'), isKept);
          assert.is(readdirSync(nginx.vhostFolder).includes('hostkeep-half.example.conf'), false);
          assert.is((await add(next, token, 'half.example')).status, 201);
          assert.is((await nginx.fetch('half.example')).status, 403);
        } finally {
          await next.close();
        }
      });
    }
  }

  test('doctor beside a running server changes nothing', async () => {
    const data = temporaryFolder();
    const config = join(data, 'config.json');
    writeFileSync(config, JSON.stringify({ webserver: nginx.settings }));
    const { child } = await startProgram(data, ['serve', '--workers', '1', '--config', config], /"listening"/);
    const adding = join(nginx.vhostFolder, 'hostkeep-adding.example.conf');
    writeFileSync(adding, '# of a domain that is being added');
    const before = readdirSync(nginx.vhostFolder);
    const { stdout } = await hostkeep(data, ['--config', config, 'doctor']);
    assert.match(stdout, /nginx version/);
    assert.match(stdout, /^ok +webserver, reload: nginx served a virtual host/m);
    assert.ok(existsSync(adding));
    assert.equal(readdirSync(nginx.vhostFolder), before);
    rmSync(adding);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  // threat reused-names: domains of a removed account are served no longer, also those that were just added
  test("a removed account's domains end at once, whichever process removed it", async () => {
    for (const removal of ['in the server', 'from the command line'] as const) {
      await withServer(nginx.settings, async (server) => {
        const { token } = await server.user('ann');
        assert.is((await add(server, token, 'shop.example')).status, 201);
        if (removal === 'in the server') await server.hostkeep.core.accounts.remove('ann');
        else assert.is((await hostkeep(server.data, ['account', 'remove', 'ann', '--yes'])).code, 0);
        await untilStatus('shop.example', 0);
        assert.not(vhosts().includes('hostkeep-shop.example.conf'));
      });
    }
  });

  test('a purge without a server takes the virtual hosts down', async () => {
    const config = join(temporaryFolder(), 'config.json');
    const settings = { webserver: nginx.settings, containers: { socket: '' }, plugins: { screenshots: false } };
    writeFileSync(config, JSON.stringify(settings));
    let data = '';
    await withServer(nginx.settings, async (server) => {
      ({ data } = server);
      const { token } = await server.user('ann');
      assert.is((await add(server, token, 'shop.example')).status, 201);
    });
    const file = join(nginx.vhostFolder, 'hostkeep-shop.example.conf');
    const content = readFileSync(file, 'utf8');
    assert.is((await hostkeep(data, ['--config', config, 'account', 'remove', 'ann', '--yes'])).code, 0);
    await until('the site is closed', async () => (await nginx.fetch('shop.example')).status === 0);
    writeFileSync(file, content); // as a removal leaves it that is killed
    execFileSync(nginx.command()[0] ?? '', nginx.command('-s', 'reload').slice(1));
    await until('it is served without its files', async () => (await nginx.fetch('shop.example')).status === 404);
    const { stdout, code } = await hostkeep(data, ['--config', config, 'account', 'purge', 'ann', '--yes']);
    assert.match(stdout, /ann is purged, and its name is free/);
    assert.is(code, 0);
    assert.is((await nginx.fetch('shop.example')).status, 0);
    assert.not(vhosts().includes('hostkeep-shop.example.conf'));
  });

  test("a suspended account's sites show the operator's page at once", async () => {
    const page = join(temporaryFolder(), 'page.html');
    writeFileSync(page, '<p>Bitte zahlen Sie Ihre Rechnung €</p>');
    await withServer({ ...nginx.settings, suspended_page: page }, async (server) => {
      const { account, token } = await server.user('ann');
      const { token: bobs } = await server.user('bob');
      for (const name of ['shop.example', 'blog.shop.example'])
        assert.is((await add(server, token, name, 'site')).status, 201);
      assert.is((await add(server, bobs, 'bob.example')).status, 201);
      writeFileSync(join(account.filesRoot, 'site/index.html'), 'Welcome');
      const change = {
        server: (verb: 'suspend' | 'unsuspend') => server.hostkeep.core.accounts[verb]('ann'),
        'command line': async (verb: string) => {
          assert.is((await hostkeep(server.data, ['account', verb, 'ann'])).code, 0);
        },
      };
      for (const by of ['server', 'command line'] as const) {
        await change[by]('suspend');
        await untilStatus('blog.shop.example', 503);
        const shown = { status: 503, body: '<p>Bitte zahlen Sie Ihre Rechnung €</p>', retryAfter: '3600' };
        for (const path of ['/', '/index.html', '/any?x=1', '/.env'])
          assert.equal(await nginx.fetch('shop.example', path), shown, `${by} ${path}`);
        assert.equal(await nginx.fetch('shop.example', '/contact', 'POST'), shown);
        assert.is.not((await nginx.fetch('shop.example', '/hostkeep-suspended.html')).status, 200);
        assert.is((await nginx.fetch('bob.example')).status, 403, 'the folder is empty');
        await change[by]('unsuspend');
        await untilStatus('shop.example', 200);
      }
    });
  });

  test('a domain that is being added while its account is suspended shows the page too', async () => {
    let release = (): void => {};
    const isHeld = new Promise<void>((resolve) => (release = resolve));
    const slow = definePlugin({
      name: 'slow',
      features: [],
      routes: {},
      setup: () => ({ handlers: {}, provides: { domainAdded: () => isHeld } }),
    });
    const server = await TestServer.start({
      plugins: [...(await allPlugins()), slow],
      config: { webserver: nginx.settings },
    });
    const { token } = await server.user('ann');
    const adding = add(server, token, 'late.example');
    await untilStatus('late.example', 403);
    await server.hostkeep.core.accounts.suspend('ann');
    release();
    await adding;
    await untilStatus('late.example', 503);
    assert.match((await nginx.fetch('late.example')).body, /<h1>This site is suspended<\/h1>/, 'the shipped page');
  });

  test('doctor has the web server reload and read a site, and says what it may not read', async () => {
    await withServer(nginx.settings, async (server) => {
      const found = async () =>
        (await server.hostkeep.plugins.gather('doctor'))
          .filter(({ plugin }) => plugin === 'webserver' || plugin === 'domains')
          .flatMap((part) => (part.ok ? part.value : []));
      const states = async () => (await found()).map(({ name, ok }) => [name, ok]);
      const { account, token } = await server.user('ann');
      assert.is((await add(server, token, 'shop.example', 'shop')).status, 201);
      const site = async () => (await found()).find(({ name }) => name === 'site');
      assert.match((await site())?.detail ?? '', /none has a page yet/);
      assert.is((await site())?.isUntried, true);
      const page = join(account.filesRoot, 'shop/index.html');
      writeFileSync(page, 'Welcome');
      const proved = ['site', 'web server', 'reload', 'virtual hosts'].map((name) => [name, true]);
      assert.equal(await states(), proved, JSON.stringify(await found()));
      const isRoot = process.getuid?.() === 0;
      if (isRoot)
        await nginx.runAs('nobody nogroup'); // who may not pass the data folder
      else chmodSync(page, 0);
      const refused = await site();
      if (isRoot) await nginx.runAs('root');
      assert.equal([refused?.name, refused?.ok], ['site', false]);
      assert.match(refused?.detail ?? '', /nginx answers http:\/\/shop\.example\/index\.html with 40[34]/);
      assert.match(refused?.remedy ?? '', new RegExp(`namei -l ${page}`));
    });
  });

  test('doctor sees that the folder of virtual hosts is not included', async () => {
    const settings = { ...nginx.settings, vhost_folder: join(temporaryFolder(), 'elsewhere'), served_timeout_ms: 1000 };
    await withServer(settings, async (server) => {
      const part = (await server.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'webserver');
      const reload = part?.ok === true ? part.value.find(({ name }) => name === 'reload') : undefined;
      assert.is(reload?.ok, false, JSON.stringify(part));
      assert.match(reload?.detail ?? '', /does not serve the new configuration/);
      assert.match(reload?.remedy ?? '', /put the line "include \S+\/elsewhere\/\*\.conf;" into the http block/);
    });
  });

  test('doctor reports the version', async () => {
    await withServer(nginx.settings, async (server) => {
      const finding = (await server.gathered('doctor')).find(({ name }) => name === 'web server');
      assert.ok(finding?.ok === true && /nginx version: nginx\/\d/.test(finding.detail), JSON.stringify(finding));
    });
  });

  test('the plugin is healthy while the web server listens', async () => {
    await withServer(nginx.settings, async (server) => {
      assert.equal(await server.health('webserver'), [
        { name: 'web server', ok: true, detail: `listens on ${nginx.port}` },
      ]);
      await nginx.stop();
      const [finding] = await server.health('webserver');
      assert.is(finding?.detail, `nginx does not listen on ${nginx.port}`);
      assert.is(finding?.remedy, 'start nginx, or correct webserver.listen');
      await nginx.up();
    });
  });
}

/** Starts a server with what serves domains; what starts as a process of its own has all plugins. */
const serve = (data: string, webserver: Record<string, unknown>) =>
  TestServer.start({ data, plugins: [domains, webserverPlugin], config: { webserver } });

/** Runs a server for one test, and if `next` is given, a second one on the same data after `between`. */
async function withServer(
  webserver: Record<string, unknown>,
  work: (server: TestServer) => Promise<void>,
  next?: (server: TestServer, token: string) => Promise<void>,
  between?: () => void,
): Promise<void> {
  const data = temporaryFolder();
  for (const [i, step] of [work, next].entries()) {
    if (step === undefined) return;
    if (i > 0) between?.();
    const server = await serve(data, webserver);
    try {
      const account = i === 0 ? undefined : await server.hostkeep.core.accounts.byUsername('ann');
      await step(server, account === undefined ? '' : await server.token(account));
    } finally {
      await server.close();
    }
  }
}

function add(server: TestServer, token: string, name: string, docroot?: string) {
  return server.ask('/api/domains/new', {
    method: 'POST',
    token,
    body: { domain_url: name, ...(docroot === undefined ? {} : { docroot }) },
  });
}

function remove(server: TestServer, token: string, name: string) {
  return server.ask('/api/domains/delete', { method: 'POST', token, body: { domain_url: name } });
}

/** Waits until nginx answers with the status only: for a moment after a reload its old worker may answer too. */
async function untilStatus(name: string, status: number): Promise<void> {
  let settled = performance.now();
  await until(`${name} answers with ${status} only`, async () => {
    if ((await nginx.fetch(name)).status !== status) settled = performance.now();
    return performance.now() - settled >= 300;
  });
}

function vhosts(): string[] {
  return readdirSync(nginx.vhostFolder)
    .filter(
      (name) =>
        ![
          'hostkeep-beacon.conf',
          'hostkeep--common.conf',
          'hostkeep-suspended.html',
          'hostkeep-closed.html',
          '.hostkeep-owner',
        ].includes(name),
    )
    .toSorted();
}
