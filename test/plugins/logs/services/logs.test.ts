import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  copyFileSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { eventSource } from '../../../support/event-source.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { hasNginx, Nginx } from '../../../support/nginx.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('logs');

interface Line {
  readonly text: string;
  readonly path: string | null;
  readonly status: number | null;
}
interface Lines {
  readonly lines: readonly Line[];
  readonly next_cursor: string | null;
}

interface Traffic {
  readonly counted: boolean;
  readonly requests: number;
  readonly bytes: number;
  readonly limit_mib: number;
}
interface Usage {
  readonly accounts: readonly {
    readonly traffic_mib: { readonly used: number | null };
    readonly bandwidth: { readonly used: number | null };
  }[];
}

/** A node whose sites are served and logged by nginx. */
class Node {
  readonly nginx: Nginx;
  server!: TestServer;
  readonly #data = temporaryFolder();

  private constructor(nginx: Nginx) {
    this.nginx = nginx;
  }

  static async start(): Promise<Node> {
    const node = new Node(await Nginx.start());
    await node.up();
    // without scripts, which would answer for what is no file
    await node.server.hostkeep.core.plans.create('plain', {}, ['domains', 'errors']);
    return node;
  }

  async up(): Promise<void> {
    this.server = await TestServer.start({ config: { webserver: this.nginx.settings }, data: this.#data });
  }

  /** Makes an account with a domain, and resolves with its token. */
  async owner(username: string): Promise<string> {
    const { token } = await this.server.user(username, 'plain');
    await this.domain(token, 'new', `${username}.example`);
    return token;
  }

  async domain(token: string, what: 'new' | 'delete', domain_url: string): Promise<void> {
    const { status } = await this.server.ask(`/api/domains/${what}`, { method: 'POST', token, body: { domain_url } });
    assert.ok(status < 300, `${what} ${domain_url}: ${status}`);
  }

  async lines(token: string, domain: string, query = ''): Promise<Lines> {
    const { status, body } = await this.server.ask<Lines>(`/api/logs/lines?domain_url=${domain}${query}`, { token });
    assert.is(status, 200);
    return body;
  }

  /** The paths that a site's log has, the oldest first. */
  async paths(token: string, domain: string, query = '&limit=1000'): Promise<(string | null)[]> {
    return (await this.lines(token, domain, query)).lines.map(({ path }) => path).toReversed();
  }

  visit(domain: string, path: string): Promise<unknown> {
    return this.nginx.fetch(domain, path);
  }

  /** Sends bytes as they are. */
  send(request: string): Promise<void> {
    return new Promise((resolve, reject) => {
      connect(this.nginx.port, '127.0.0.1', function (this: ReturnType<typeof connect>) {
        this.write(Buffer.from(request, 'latin1'));
      })
        .on('data', () => undefined)
        .on('close', () => resolve())
        .on('error', reject);
    });
  }

  get log(): string {
    return join(this.nginx.folder, 'logs/sites/access.log');
  }

  /** Has nginx open its logs again, as after a rotation. */
  reopen(): void {
    const [program = '', ...args] = this.nginx.command('-s', 'reopen');
    execFileSync(program, args);
  }

  async remove(): Promise<void> {
    await this.server.close();
    await this.nginx.remove();
  }
}

async function onNode(use: (node: Node) => Promise<void>): Promise<void> {
  const node = await Node.start();
  try {
    await use(node);
  } finally {
    await node.remove();
  }
}

const real = (title: string, use: (node: Node) => Promise<void>) => {
  if (hasNginx()) test(title, () => onNode(use));
};

// threat other-accounts: lines of a site's log are shown to its owner alone, whatever the request claims
real('no line of a site is shown to another, whatever host, path and headers say', async (node) => {
  const [ann, bob] = [await node.owner('ann'), await node.owner('bob')];
  const forged = encodeURIComponent(
    '\n2026/11/24 16:00:00 [error] 1#1: *1 forged, client: 1.1.1.1, server: bob.example, request: "GET /"\n',
  );
  const head = 'Host: ann.example\r\nConnection: close';
  await node.send(`GET /x${forged} HTTP/1.1\r\n${head}\r\n\r\n`);
  await node.send(`GET http://bob.example/of-bob HTTP/1.1\r\n${head}\r\n\r\n`);
  await node.send(`GET /a"%0abob.example%201%202%20 HTTP/1.1\r\n${head}\r\nReferer: " bob.example\x1b[31m\r\n\r\n`);
  await node.send(`GET /b HTTP/1.1\r\n${head}\r\nUser-Agent: x" bob.example\r\nX-Id: 2\r\n\r\n`);
  await node.send(`GET /c HTTP/1.1\r\nHost: ann.example\r\nHost: bob.example\r\nConnection: close\r\n\r\n`);
  await node.send(`GET /missing HTTP/1.1\r\n${head}\r\nReferer: x, server: bob.example, request: "y\r\n\r\n`);
  await node.visit('bob.example', '/last');
  await until('the last request is shown', async () => (await node.paths(bob, 'bob.example')).includes('/last'));
  assert.equal(await node.paths(bob, 'bob.example'), ['http://bob.example/of-bob', '/last']);
  const { lines } = await node.lines(ann, 'ann.example');
  assert.is(lines.length, 5);
  for (const { text } of lines) assert.match(text, /^[ -~]+$/);
  // a new domain's errors count from its first whole second on
  const wrong = async () => {
    await node.visit('bob.example', '/error');
    return node.lines(bob, 'bob.example', '&kind=error');
  };
  const errors = await eventually('an error is shown', wrong, (found) => found.lines.length > 0);
  for (const { text } of errors.lines)
    assert.match(text, /open(at)?\(\) ".*\/bob\.example\/(of-bob|last|error)" failed/, text);
  for (const { text } of (await node.lines(ann, 'ann.example', '&kind=error')).lines)
    assert.not.match(text, /forged|server: bob/);
  const { status } = await node.server.ask('/api/logs/lines?domain_url=bob.example', { token: ann });
  assert.is(status, 404);
});

real('a rotation and a restart lose and repeat no request', async (node) => {
  const ann = await node.owner('ann');
  let n = 0;
  const visit = async (times: number) => {
    for (let i = 0; i < times; i++) await node.visit('ann.example', `/${(n += 1)}`);
  };
  const all = () => Array.from({ length: n }, (_, i) => `/${i + 1}`);
  const shown = () =>
    eventually(
      'each request is shown once',
      () => node.paths(ann, 'ann.example'),
      (paths) => paths.length >= n,
    );
  await visit(5);
  renameSync(node.log, `${node.log}.1`);
  await visit(5);
  node.reopen();
  await visit(5);
  assert.equal((await shown()).toSorted(), all().toSorted());
  await node.server.close();
  await visit(3);
  renameSync(node.log, `${node.log}.2`);
  node.reopen();
  await until('nginx has begun a new log', () => existsSync(node.log));
  await visit(3);
  await node.up();
  const token = await node.server.token((await node.server.hostkeep.core.accounts.byUsername('ann'))!);
  await until('what was logged meanwhile is shown', async () => (await node.paths(token, 'ann.example')).length >= n);
  copyFileSync(node.log, `${node.log}.3`);
  truncateSync(node.log);
  await visit(4);
  await until('what came after is shown', async () => (await node.paths(token, 'ann.example')).length >= n);
  assert.equal((await node.paths(token, 'ann.example')).toSorted(), all().toSorted());
});

real('a live log is behind by a second at most, and shows what its filter takes', async (node) => {
  const ann = await node.owner('ann');
  const path = '/api/logs/stream?domain_url=ann.example&text=seen';
  const stream = await eventSource(node.server, ann, {}, path, 'user');
  try {
    const delays: number[] = [];
    for (let i = 0; i < 3; i++) {
      await node.visit('ann.example', '/other');
      const started = performance.now();
      await node.visit('ann.example', `/seen-${i}`);
      const { event, data } = await stream.next();
      delays.push(performance.now() - started);
      assert.is(event, 'lines');
      assert.equal(
        (data['lines'] as Line[]).map((line) => line.path),
        [`/seen-${i}`],
      );
    }
    assert.ok(Math.min(...delays) <= 1000, `${delays}`);
  } finally {
    await stream.close();
  }
});

real('all of a log is downloaded, as text that no browser runs', async (node) => {
  const ann = await node.owner('ann');
  await node.visit('ann.example', '/%3Cscript%3E');
  await until('the request is shown', async () => (await node.paths(ann, 'ann.example')).length > 0);
  const { headers, body } = await node.server.ask<string>('/api/logs/download?domain_url=ann.example', { token: ann });
  assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="ann\.example-access\.log"$/);
  assert.match(headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(body, /^\S+ - - \[.*\] "GET \/%3Cscript%3E HTTP\/1\.1" 404 \d+ "-" "-"\n$/);
});

real('logs go with their domain and their account, and stay while an account is suspended', async (node) => {
  const [ann, bob] = [await node.owner('ann'), await node.owner('bob')];
  for (const name of ['ann', 'bob']) await node.visit(`${name}.example`, '/');
  for (const [token, name] of [
    [ann, 'ann'],
    [bob, 'bob'],
  ] as const)
    await until('the request is shown', async () => (await node.paths(token, `${name}.example`)).length > 0);
  const folder = join(node.server.data, 'logs');
  assert.is(readdirSync(folder).length, 2);
  const { core } = node.server.hostkeep;
  await core.accounts.suspend('bob');
  await node.domain(ann, 'delete', 'ann.example');
  await until('the logs of the domain are gone', () => readdirSync(folder).length === 1);
});

// threat reused-names: who gets a name that another account had sees nothing of what it logged
real('a domain that another account gets has none of the lines from before', async (node) => {
  const [ann, bob] = [await node.owner('ann'), await node.owner('bob')];
  await node.domain(ann, 'new', 'shared.example');
  await node.visit('shared.example', '/of-ann');
  await until('the request is shown', async () => (await node.paths(ann, 'shared.example')).length > 0);
  await node.domain(ann, 'delete', 'shared.example');
  await node.domain(bob, 'new', 'shared.example');
  const late =
    readFileSync(node.log, 'latin1')
      .split('\n')
      .find((line) => line.includes('/of-ann')) ?? '';
  appendFileSync(node.log, `${late}\n`); // as a buffer of nginx could be written late
  await node.visit('shared.example', '/of-bob');
  await until('the request is shown', async () => (await node.paths(bob, 'shared.example')).includes('/of-bob'));
  assert.equal(await node.paths(bob, 'shared.example'), ['/of-bob']);
});

real('accounts and operators see what sites have sent, and are told near the limit of the plan', async (node) => {
  const [ann, bob] = [await node.owner('ann'), await node.owner('bob')];
  const { core } = node.server.hostkeep;
  const { id, filesRoot } = await core.accounts.get('ann');
  writeFileSync(join(filesRoot, 'ann.example/large.bin'), Buffer.alloc(5.5 * 2 ** 20)); // seen in the average of a whole day
  const traffic = async (token: string) => (await node.server.ask<Traffic>('/api/logs/traffic', { token })).body;
  assert.equal([(await traffic(ann)).counted, (await traffic(ann)).bytes], [true, 0]);
  await node.visit('ann.example', '/large.bin');
  await until('it is counted', async () => (await traffic(ann)).bytes >= 5.5 * 2 ** 20);
  assert.is((await traffic(ann)).requests, 1);
  assert.is((await traffic(bob)).bytes, 0);

  const { token } = await node.server.admin();
  const { body } = await node.server.ask<Usage>('/api/usage/accounts', { token, address: 'admin' });
  const [first, second] = body.accounts;
  assert.equal([first?.traffic_mib.used, second?.traffic_mib.used], [6, 0]);
  assert.ok((first?.bandwidth.used ?? 0) > 0);

  const told = async (of = id) => (await core.events.page(of, ' of its traffic ', 0, 50)).lines;
  const limit = (mib: number) => core.plans.update('plain', { limits: { traffic_limit_mib: mib } });
  for (const [mib, level] of [
    [6, 80],
    [5, 100],
  ] as const) {
    await limit(mib);
    await until(`${level} %`, async () => (await told()).some((line) => line.includes(`uses ${level} % of`)));
    assert.is((await traffic(ann)).limit_mib, mib);
  }
  assert.is((await told()).length, 2);
  assert.equal(await told((await core.accounts.get('bob')).id), []);
  assert.is((await node.nginx.fetch('ann.example', '/large.bin')).status, 200, 'the site goes on');
});

real('what was read of an account is not counted once it is removed', async (node) => {
  const [ann, bob] = [await node.owner('ann'), await node.owner('bob')];
  const { core } = node.server.hostkeep;
  const counted = async () =>
    (await core.local.all<{ id: number }>('select account_id as id from logs_traffic')).map(({ id }) => id);
  const { id } = await core.accounts.get('ann');
  await node.visit('bob.example', '/first');
  await until('a count is stored', async () => (await counted()).length === 1);
  await node.visit('ann.example', '/last');
  await until('its last request is read', async () => (await node.paths(ann, 'ann.example')).length === 1);
  await core.accounts.remove('ann');
  await node.visit('bob.example', '/second');
  await until('the next one is stored', async () => {
    const { body } = await node.server.ask<Traffic>('/api/logs/traffic', { token: bob });
    return body.requests === 2;
  });
  assert.not((await counted()).includes(id));
});
