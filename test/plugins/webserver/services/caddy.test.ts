import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { findDriver } from '../../../../plugins/webserver/drivers.ts';
import { followsNoLinks } from '../../../../plugins/webserver/files-view.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { fetchPage } from '../../../support/page.ts';
import { testSuite } from '../../../support/suite.ts';
import { until } from '../../../support/until.ts';

const test = testSuite('webserver-caddy');
const DEFAULTS = {
  driver: 'caddy',
  vhost_folder: '',
  files_view: '',
  template: '',
  suspended_template: '',
  suspended_page: '',
  log_folder: '',
  listen: '80',
  listen_https: '443',
  check: [],
  reload: [],
  version: [],
  pid_file: '',
  command_timeout_ms: 1000,
  served_timeout_ms: 1000,
  reconcile_seconds: 0,
};

test('each driver has default commands, which the configuration overrides', () => {
  assert.equal(findDriver(DEFAULTS)?.reload, ['caddy', 'reload', '--config', '/etc/caddy/Caddyfile']);
  assert.equal(findDriver({ ...DEFAULTS, driver: 'nginx', check: ['sudo', 'nginx', '-t'] })?.check, [
    'sudo',
    'nginx',
    '-t',
  ]);
  const pidFile = (settings: object) => findDriver({ ...DEFAULTS, driver: 'nginx', ...settings })?.pidFile;
  assert.is(pidFile({}), '/run/nginx.pid');
  assert.is(pidFile({ reload: ['nginx', '-p', '/srv/other', '-s', 'reload'] }), '', 'another nginx');
  assert.is(pidFile({ reload: ['nginx', '-s', 'reload'], pid_file: '/srv/nginx.pid' }), '/srv/nginx.pid');
  assert.is(
    pidFile({ reload: ['service', 'nginx', 'reload'], pid_file: '/srv/nginx.pid' }),
    '',
    'a command of its own',
  );
  assert.is(pidFile({ driver: 'caddy', pid_file: '/srv/nginx.pid' }), '');
  assert.is(findDriver({ ...DEFAULTS, driver: 'nginx' })?.awaitsServed, true);
  assert.is(findDriver({ ...DEFAULTS, driver: 'nginx', served_timeout_ms: 0 })?.awaitsServed, false);
  assert.is(findDriver({ ...DEFAULTS, driver: 'none' }), undefined);
});

test('with the driver auto, the web server is the one that is installed', () => {
  const found = (...programs: string[]) => {
    const folder = temporaryFolder();
    for (const program of programs) writeFileSync(join(folder, program), '');
    return findDriver({ ...DEFAULTS, driver: 'auto' }, [folder])?.name;
  };
  assert.is(found('caddy'), 'caddy');
  assert.is(found('caddy', 'nginx'), 'nginx');
  assert.is(found('apache2'), undefined);
});

test('the last mount over a path decides whether links are followed', () => {
  const mount = (point: string, options: string) => `36 35 98:0 /x ${point} ${options} master:1 - ext4 /dev/sda1 rw`;
  const mounts = [
    mount('/', 'rw,relatime'),
    mount('/run/sites', 'ro,nosymfollow'),
    mount('/run/sites/open', 'rw'),
    mount('/a\\040b', 'nosymfollow'),
    mount('/twice', 'nosymfollow'),
    mount('/twice', 'rw'),
  ].join('\n');
  const safe = ['/run/sites', '/run/sites/ann', '/a b/c'];
  const unsafe = ['/srv/ann', '/run', '/run/sites2', '/run/sites/open/ann', '/twice/ann', ''];
  assert.equal(
    [...safe, ...unsafe].filter((path) => followsNoLinks(mounts, path)),
    safe,
  );
  assert.not(followsNoLinks('', '/srv'));
});

if (hasCaddy()) {
  test('doctor sees that the Caddyfile lacks the line that imports the virtual hosts', async () => {
    const caddy = await Caddy.start();
    const server = await TestServer.start({ config: caddy.config });
    const reload = async () => {
      const part = (await server.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'webserver');
      return part?.ok === true ? part.value.find(({ name }) => name === 'reload') : undefined;
    };
    try {
      assert.is((await reload())?.ok, true, JSON.stringify(await reload()));
      const file = join(caddy.folder, 'Caddyfile');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^import .*$/m, ''));
      const lacking = await reload();
      assert.is(lacking?.ok, false);
      assert.match(lacking?.remedy ?? '', /put the line "import \S+\/vhosts\/\*\.conf" into its Caddyfile/);
    } finally {
      await server.close();
      await caddy.remove();
    }
  });

  test('no domain is added where Caddy would follow links', async () => {
    const caddy = await Caddy.start();
    const { files_root, webserver } = caddy.config;
    const server = await TestServer.start({ config: { files_root, webserver: { ...webserver, files_view: '/' } } });
    try {
      const { token } = await server.user('ann');
      const body = { domain_url: 'shop.example' };
      const refused = await server.ask('/api/domains/new', { method: 'POST', token, body });
      assert.is(refused.status, 502);
      const health = (await server.hostkeep.plugins.gather('health')).find(({ plugin }) => plugin === 'webserver');
      assert.ok(health?.ok);
      assert.is(health.value.find(({ name }) => name === 'links')?.ok, false);
    } finally {
      await server.close();
      await caddy.remove();
    }
  });

  test('Caddy serves an added domain, and neither a removed one nor one that it refuses', async () => {
    const caddy = await Caddy.start();
    const server = await TestServer.start({ config: caddy.config });
    try {
      const { account, token } = await server.user('ann');
      const change = (path: string, name: string) =>
        server.ask(`/api/domains/${path}`, { method: 'POST', token, body: { domain_url: name } });
      assert.is((await change('new', 'shop.example')).status, 201);
      writeFileSync(join(account.filesRoot, 'shop.example/index.html'), 'Welcome');
      assert.equal(await fetchPage(caddy.port, 'shop.example'), { status: 200, body: 'Welcome' });
      mkdirSync(join(account.filesRoot, 'shop.example/sale'));
      writeFileSync(join(account.filesRoot, 'shop.example/sale/index.html'), 'Sale');
      const redirect = await fetchPage(caddy.port, 'shop.example', '/sale');
      assert.match(redirect.location ?? '', /^(\/|sale\/)/, 'clients may reach it at another port');
      const broken = join(caddy.folder, 'vhosts/operator.conf');
      writeFileSync(broken, 'http://x.example {\n\tno_such_directive\n}\n');
      assert.is((await change('new', 'bad.example')).status, 502);
      writeFileSync(broken, '# nothing\n');
      assert.not(readdirSync(join(caddy.folder, 'vhosts')).includes('hostkeep-bad.example.conf'));
      assert.is((await change('delete', 'shop.example')).status, 200);
      assert.is((await fetchPage(caddy.port, 'shop.example')).body, '');
    } finally {
      await server.close();
      await caddy.remove();
    }
  });

  test("Caddy shows the page in place of a suspended account's sites", async () => {
    const caddy = await Caddy.start();
    const server = await TestServer.start({ config: caddy.config });
    const { accounts } = server.hostkeep.core;
    try {
      const { token } = await server.user('ann');
      const body = { domain_url: 'shop.example' };
      assert.is((await server.ask('/api/domains/new', { method: 'POST', token, body })).status, 201);
      const show = (method = 'GET') => fetchPage(caddy.port, 'shop.example', '/contact', { method });
      const isStatus = (status: number) => async () => (await show()).status === status;
      await accounts.suspend('ann');
      await until('the page', isStatus(503));
      const [text = '', style = ''] = ['suspended.html', 'page.css'].map((file) =>
        readFileSync(join(projectDir, 'plugins/webserver/templates', file), 'utf8'),
      );
      const page = text.replace('{{style}}', style);
      for (const method of ['GET', 'POST'])
        assert.equal(await show(method), { status: 503, body: page, retryAfter: '3600' }, method);
      await accounts.unsuspend('ann');
      await until('the site', isStatus(404));
    } finally {
      await server.close();
      await caddy.remove();
    }
  });
}
