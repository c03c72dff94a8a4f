/** The application in PHP of `hostkeep demo`, which root starts, or somebody else. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { dirname, join } from 'node:path';
import { installedVersions } from '../../../kernel/kit/programs/php-versions.ts';
import * as assert from '../../support/assert.ts';
import { CLI } from '../../support/command.ts';
import { ABSENT, openDemo, section, type Demo } from '../../support/demo.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { hasNginx } from '../../support/nginx.ts';
import { storesInFiles } from '../../support/postgres.ts';
import { reportSkipped, testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';

const [version] = await installedVersions();
const test = testSuite('demo-php');
storesInFiles(); // as those of demos are
let running: Demo | undefined;
test.after.each(() => running?.end('SIGTERM'));

async function startDemo(data: string, env: NodeJS.ProcessEnv = {}): Promise<Demo> {
  return (running = await openDemo(data, ABSENT, env));
}

/** Has root's Node.js go on as another user, as whom it may read this project. */
const AS_DAEMON = `--import=data:text/javascript,if(process.getuid()===0){process.setgroups([]);process.setgid(1);process.setuid(1)}`;
const isShared = () =>
  spawnSync(process.execPath, [CLI, '--version'], { env: { NODE_OPTIONS: AS_DAEMON } }).status === 0;

/** Returns the processes that name a folder, and the sockets in it. */
function leftIn(folder: string): string[] {
  const commands = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const running = commands.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false; // it has ended
    }
  });
  const files = readdirSync(folder, { recursive: true }).map((path) => join(folder, String(path)));
  return [...running, ...files.filter((path) => lstatSync(path).isSocket())];
}

/** Returns where the demo says that its guest book is. */
function guestBookOf({ output }: Demo): string {
  const told = section(output, 'Uses').get('php') ?? '';
  const [, port, site, path] = /--connect-to ::127\.0\.0\.1:(\d+) https:\/\/([^/]+)(\S+)/.exec(told) ?? [];
  assert.ok(port, output);
  return `https://${site}:${port}${path}`;
}

const isRoot = process.getuid?.() === 0;
/** Whether the system ends all programs of a namespace with the process that made it. */
const hasNamespaces = (uid: number) =>
  spawnSync('unshare', [...(uid === 0 ? [] : ['--user']), '--pid', '--fork', 'true'], isRoot ? { uid, gid: uid } : {})
    .status === 0;

function runsPhp(title: string, uid: number, env: NodeJS.ProcessEnv = {}): void {
  test(`${title} runs PHP over HTTPS, and nothing of it is left`, async () => {
    const data = join(temporaryFolder(), '.demo'); // as in a checkout
    mkdirSync(data, { mode: 0o700 });
    chmodSync(dirname(data), 0o755);
    if (isRoot) for (const folder of [dirname(data), data]) chownSync(folder, uid, uid);
    const demo = await startDemo(data, env);
    const url = guestBookOf(demo);
    const first = await fetchSecurely(url);
    assert.is(first.status, 200, demo.output);
    assert.ok(first.body.includes(`PHP ${version}.`) && first.body.includes('over HTTPS'), first.body);
    const front = await fetchSecurely(url.replace(/\/\/[^:]+(:\d+).*/, '//sunny-garden.example$1/'));
    assert.match(front.body, /<h1>Sunny Garden/, 'the sample of WordPress has a front page');
    const entry = { name: 'Ann <b>', text: 'a text' };
    const write = async (form: Record<string, string>) =>
      (await fetchSecurely(url, { body: new URLSearchParams(form).toString(), cookie: first.cookie })).status;
    const [, token = ''] = /name="token" value="(\w+)"/.exec(first.body) ?? [];
    for (const refused of [entry, { ...entry, token: 'other' }, { ...entry, token, text: ' ' }])
      assert.is(await write(refused), 422);
    assert.not.match((await fetchSecurely(url)).body, /<article>/);
    assert.is(await write({ ...entry, token }), 303);
    assert.match((await fetchSecurely(url)).body, /<article><h2>Ann &lt;b&gt;<\/h2><p>a text/);
    const { pools } = await demo.ask<{ pools: Record<string, unknown>[] }>('/api/php-pools', 'admin');
    const pool = pools.find(({ username }) => username === 'demo');
    assert.equal([pool?.['version'], pool?.['state'], pool?.['requests'] !== 0], [version, 'running', true]);
    await demo.end(hasNamespaces(uid) ? 'SIGKILL' : 'SIGTERM');
    await until('there is no PHP without a demo', () =>
      leftIn(join(data, 'php')).every((each) => each.startsWith('/')),
    );
    const again = await startDemo(data, env);
    assert.match((await fetchSecurely(guestBookOf(again))).body, /<p>a text/, again.output);
    await again.end('SIGTERM');
    assert.equal(leftIn(data), []);
  });
}

interface SecurePage {
  readonly status: number;
  readonly body: string;
  readonly cookie: string;
}

/** Asks for a page of this machine over HTTPS, whoever vouches for it; with a form, sends that. */
function fetchSecurely(url: string, sent?: { readonly body: string; readonly cookie: string }): Promise<SecurePage> {
  const { hostname, host, port, pathname } = new URL(url);
  const form = { 'content-type': 'application/x-www-form-urlencoded', cookie: sent?.cookie ?? '' };
  const options = {
    ...{ host: '127.0.0.1', port, path: pathname, servername: hostname, rejectUnauthorized: false, agent: false },
    ...{ method: sent === undefined ? 'GET' : 'POST', headers: { host, ...(sent !== undefined && form) } },
  };
  return new Promise((resolve, reject) => {
    const asked = request(options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      const [cookie = ''] = response.headers['set-cookie']?.[0]?.split(';') ?? [];
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, cookie }));
    });
    asked.on('error', reject).end(sent?.body);
  });
}

if (version === undefined) reportSkipped('a demo with PHP; install it with apt-get install -y php-fpm');
else if (hasNginx()) {
  runsPhp('the demo', process.getuid?.() ?? 0);
  if (isRoot && isShared()) runsPhp('a demo without rights', 1, { NODE_OPTIONS: AS_DAEMON });
  if (isRoot)
    test('a demo below a folder that is closed to others says why it runs no PHP', async () => {
      const closed = temporaryFolder();
      chmodSync(closed, 0o700);
      const { output } = await startDemo(join(closed, 'data'));
      assert.ok(section(output, 'Left out').get('php')?.includes(`cannot pass ${closed} (set HOSTKEEP_DATA`), output);
      assert.is(section(output, 'Uses').get('php'), undefined);
    });
}
