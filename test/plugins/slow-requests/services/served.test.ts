/** Tests what is told of slow scripts with real web servers: nginx, Caddy, and nginx with Varnish before a site. */
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { installedVersions } from '../../../../kernel/kit/programs/php-versions.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { fetchAnswer } from '../../../support/page.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('domains', 'webserver', 'logs', 'php', 'services', 'varnish');
const [VERSION] = await installedVersions();
const test = testSuite('slow-requests: served');
/** The first user id of accounts, other than those of files that run beside this one. */
const FIRST = 430_000 + 100 * (process.pid % 1000);
const SLEEPS = '<?php usleep((int) ($_GET["ms"] ?? 1200) * 1000); echo "done";';

interface Path {
  readonly username?: string;
  readonly domain_url: string;
  readonly method: string;
  readonly path: string;
  readonly requests: number;
  readonly total_ms: number;
  readonly slowest_ms: number;
  readonly slowest_query?: string;
  readonly slowest_status: number;
}
interface Paths {
  readonly paths: readonly Path[];
}

/** A node with a web server of one kind, PHP, and slow requests from one second on. */
class House {
  readonly server: TestServer;
  readonly port: number;
  readonly #end: () => Promise<void>;

  private constructor(server: TestServer, port: number, end: () => Promise<void>) {
    [this.server, this.port, this.#end] = [server, port, end];
  }

  static async open(web: Nginx | Caddy): Promise<House> {
    const folder = temporaryFolder();
    for (const each of [folder, web.folder]) chmodSync(each, 0o755);
    const served = web instanceof Caddy ? web.config : { webserver: web.settings };
    const server = await TestServer.start({
      config: {
        ...{ ...served, files_root: join(web.folder, 'files/{username}'), ids: { first: FIRST } },
        php: { run_folder: join(folder, 'php'), drain_seconds: 0 },
        services: { run_folder: join(folder, 'run'), storage_folder: join(folder, 'stored'), recipes_folder: '' },
        'slow-requests': { slow_seconds: 1 },
      },
    });
    return new House(server, web.port, async () => {
      await server.close();
      await web.remove();
    });
  }

  /** Makes an account with a site that runs PHP. */
  async customer(name: string) {
    const { account, token } = await this.server.user(name);
    const domain = `${name}.example`;
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await this.server.ask(path, { method, token, ...(body && { body }) });
      assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body as unknown;
    };
    await ask('POST', '/api/domains/new', { domain_url: domain });
    await ask('PUT', `/api/php/sites/${domain}/version`, { version: VERSION });
    const put = (file: string, content: string | Buffer) => {
      const path = join(account.filesRoot, domain, file);
      writeFileSync(path, content);
      chownSync(path, FIRST + account.id, FIRST + account.id);
    };
    put('index.php', SLEEPS);
    return {
      ...{ domain, ask, put },
      get: (path: string, headers = {}) => fetchAnswer(this.port, domain, path, { headers }),
      slow: async () => ((await ask('GET', '/api/slow-requests')) as Paths).paths,
    };
  }

  /** Has a visitor take more than a second to get what comes; resolves with its bytes. */
  takeSlowly(domain: string, path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      let bytes = 0;
      const socket = connect(this.port, '127.0.0.1');
      socket.on('data', (chunk) => {
        if (bytes === 0) setTimeout(() => socket.resume(), 1500); // the visitor that the test is about
        if (bytes === 0) socket.pause();
        bytes += chunk.length;
      });
      socket.on('close', () => resolve(bytes)).on('error', reject);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${domain}\r\nConnection: close\r\n\r\n`);
    });
  }

  close(): Promise<void> {
    return this.#end();
  }
}

async function inHouse(start: () => Promise<Nginx | Caddy>, use: (house: House) => Promise<void>): Promise<void> {
  const house = await House.open(await start());
  try {
    await use(house);
  } finally {
    await house.close();
  }
}

/** What the visitor's own connection cannot hold, so that a slow one is waited for. */
const LARGE_BYTES = 24 << 20;

function serves(name: string, start: () => Promise<Nginx | Caddy>): void {
  test(`${name}: slow scripts are told, and neither fast ones nor slow visitors`, () =>
    inHouse(start, async (house) => {
      const [ann, bob] = [await house.customer('ann'), await house.customer('bob')];
      ann.put('large.bin', Buffer.alloc(LARGE_BYTES));
      ann.put('broken.php', '<?php sleep(1); http_response_code(500); echo "failed";');
      assert.is((await ann.get('/fast?ms=1')).body, 'done');
      assert.ok((await house.takeSlowly(ann.domain, '/large.bin')) > LARGE_BYTES);
      for (const path of ['/blog/post?a=b?c&ms=2500', '/blog/post?ms=1100', '/broken.php']) await ann.get(path);
      await bob.get('/%ff"\\x%3Cb%3E?ms=1300&key=secret');
      const told = await eventually(
        'all are told',
        ann.slow,
        (paths) => paths.length === 2 && paths[0]?.requests === 2,
      );
      assert.equal(
        told.map(({ path, method, slowest_status: status }) => [path, method, status]),
        [
          ['/blog/post', 'GET', 200],
          ['/broken.php', 'GET', 500],
        ],
      );
      const { slowest_query: query, slowest_ms: slowest = 0, total_ms: total = 0 } = told[0] ?? {};
      assert.is(query, 'a=b?c&ms=2500');
      assert.ok(slowest >= 2500 && slowest < 15_000 && total >= 3600, `${slowest} ${total}`);
      const [hostile] = await eventually('the other site is told', bob.slow, ({ length }) => length === 1);
      assert.match(hostile?.path ?? '', /^\/[ -~]+$/);
      const { token } = await house.server.admin();
      const { body } = await house.server.ask<Paths>('/api/slow-requests', { token, address: 'admin' });
      assert.equal(body.paths.map(({ username, domain_url: domain }) => `${username} ${domain}`).toSorted(), [
        'ann ann.example',
        'ann ann.example',
        'bob bob.example',
      ]);
      assert.not.match(JSON.stringify(body), /secret|a=b/);
    }));
}

if (hasNginx()) serves('nginx', () => Nginx.start('www-data'));
if (hasCaddy()) serves('Caddy', () => Caddy.start());

if (hasNginx())
  test('with Varnish before a site, a page counts once, and one that is kept does not', () =>
    inHouse(
      () => Nginx.start('www-data'),
      async (house) => {
        const ann = await house.customer('ann');
        ann.put(
          'index.php',
          `<?php usleep(1200000); header('Cache-Control: max-age=600'); echo str_repeat('x', 24 << 20);`,
        );
        await ann.ask('PUT', '/api/services/varnish', { is_on: true });
        await ann.ask('PUT', '/api/site-cache/ann.example', { cached: true });
        const isHit = async (path: string) => (await ann.get(path)).headers['x-cache'] === 'HIT';
        await until('pages are kept', () => isHit('/'));
        await until('it is told', async () => (await ann.slow()).some(({ path }) => path === '/'));
        assert.is((await ann.get('/once')).headers['x-cache'], 'MISS');
        assert.ok(await isHit('/once'));
        assert.ok((await house.takeSlowly(ann.domain, '/once')) > 24 << 20);
        await ann.get('/last?past', { cookie: 'session=1' });
        await until('the last one is told', async () => (await ann.slow()).some(({ path }) => path === '/last'));
        const once = (await ann.slow()).find(({ path }) => path === '/once');
        assert.equal([once?.requests, once?.slowest_ms === once?.total_ms], [1, true]);
      },
    ));
