import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as assert from '../../../support/assert.ts';
import { Caddy, hasCaddy } from '../../../support/caddy.ts';
import { eventSource } from '../../../support/event-source.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { needs } from '../../../support/needs.ts';
import { testSuite } from '../../../support/suite.ts';
import { eventually, until } from '../../../support/until.ts';

await needs('domains', 'webserver');
const test = testSuite('logs: caddy');

interface Line {
  readonly text: string;
  readonly ip: string | null;
  readonly path: string | null;
  readonly status: number | null;
  readonly bytes: number | null;
  readonly level: string | null;
}

/** A node whose sites are served and logged by Caddy. */
class Node {
  readonly caddy: Caddy;
  server!: TestServer;
  readonly #data = temporaryFolder();

  private constructor(caddy: Caddy) {
    this.caddy = caddy;
  }

  static async start(): Promise<Node> {
    const node = new Node(await Caddy.start());
    const template = join(node.caddy.folder, 'vhost.conf');
    const broken = 'reverse_proxy /broken 127.0.0.1:1\n\t{{php}}';
    writeFileSync(template, readFileSync(template, 'utf8').replace('{{php}}', broken));
    await node.up();
    return node;
  }

  async up(): Promise<void> {
    this.server = await TestServer.start({ config: this.caddy.config, data: this.#data });
  }

  async owner(username: string): Promise<string> {
    const { token } = await this.server.user(username);
    await this.change(token, 'domains/new', { domain_url: `${username}.example` });
    return token;
  }

  /** Resolves with a new token of an account. */
  async again(username: string): Promise<string> {
    return this.server.token(await this.server.hostkeep.core.accounts.get(username));
  }

  async change(token: string, what: string, body: object): Promise<void> {
    const { status } = await this.server.ask(`/api/${what}`, { method: 'POST', token, body });
    assert.ok(status < 300, `${what} ${JSON.stringify(body)}: ${status}`);
  }

  async lines(token: string, domain: string, kind = 'access'): Promise<readonly Line[]> {
    const path = `/api/logs/lines?domain_url=${domain}&kind=${kind}&limit=1000`;
    const { status, body } = await this.server.ask<{ lines: readonly Line[] }>(path, { token });
    assert.is(status, 200);
    return body.lines.toReversed();
  }

  async paths(token: string, domain: string): Promise<(string | null)[]> {
    return (await this.lines(token, domain)).map(({ path }) => path);
  }

  /** Sends bytes as they are, and resolves with the status. */
  send(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let reply = '';
      connect(this.caddy.port, '127.0.0.1', function (this: ReturnType<typeof connect>) {
        this.write(Buffer.from(request, 'latin1'));
      })
        .on('data', (chunk: Buffer) => (reply += chunk.toString('latin1')))
        .on('close', () => resolve(reply.split(' ')[1] ?? ''))
        .on('error', reject);
    });
  }

  get log(): string {
    return join(this.caddy.folder, 'logs/caddy/access.log');
  }

  async remove(): Promise<void> {
    await this.server.close();
    await this.caddy.remove();
  }
}

const real = (title: string, use: (node: Node) => Promise<void>) => {
  if (!hasCaddy()) return;
  test(title, async () => {
    const node = await Node.start();
    try {
      await use(node);
    } finally {
      await node.remove();
    }
  });
};

// threat other-accounts: with Caddy, a request is in the log of the site that answered it, and in no other
real('no line of a site is shown to another, whatever host, path and headers say', async (node) => {
  const [ann, bob] = [await node.owner('ann'), await node.owner('bob')];
  await node.change(ann, 'aliases', { domain_url: 'ann.example', alias: 'other.example' });
  const head = 'Host: ann.example\r\nConnection: close';
  const entry = `%22}}%0a{"logger":"http.log.access","ts":1,"size":1,"status":200,"request":{"host":"bob.example"}}%0a`;
  assert.is(await node.send(`GET /x${entry} HTTP/1.1\r\n${head}\r\n\r\n`), '404');
  assert.is(await node.send(`GET http://bob.example/of-bob HTTP/1.1\r\n${head}\r\n\r\n`), '404');
  assert.is(await node.send(`GET /a HTTP/1.1\r\n${head}\r\nReferer: "}},\xff "host":"bob.example"\\\r\n\r\n`), '404');
  assert.is(await node.send(`GET /b HTTP/1.1\r\n${head}\r\nX-Large: ${'"}},\\'.repeat(13_000)}\r\n\r\n`), '404');
  assert.is(await node.send(`GET /c HTTP/1.1\r\n${head}\r\nHost: bob.example\r\n\r\n`), '400');
  assert.is(await node.send(`GET /d HTTP/1.1\r\n${head}\r\nUser-Agent: a\nb\x1b\r\n\r\n`), '400');
  assert.is(await node.send('GET /upper HTTP/1.1\r\nHost: ANN.example:80\r\nConnection: close\r\n\r\n'), '404');
  await node.send('GET /of-nobody HTTP/1.1\r\nHost: ann.example.\r\nConnection: close\r\n\r\n');
  await node.caddy.fetch('other.example', '/alias');
  await node.caddy.fetch('bob.example', '/last');
  await until('the last request is shown', async () => (await node.paths(bob, 'bob.example')).includes('/last'));
  assert.equal(await node.paths(bob, 'bob.example'), ['http://bob.example/of-bob', '/last']);
  const lines = await node.lines(ann, 'ann.example');
  assert.equal(
    lines.slice(1).map(({ path }) => path),
    ['/a', '/b', '/upper', '/alias'],
  );
  for (const { text } of lines) assert.match(text, /^127\.0\.0\.1 - - \[[^\]]+\] "GET [ -~]+$/);
  assert.match(
    lines[1]?.text ?? '',
    /"\\x22\}\},\\x(FF|EF\\xBF\\xBD) \\x22host\\x22:\\x22bob\.example\\x22\\x5C" "-"$/,
  );
});

real('errors are in the log of their site, without what a visitor is known by', async (node) => {
  const [ann, bob] = [await node.owner('ann'), await node.owner('bob')];
  const secrets = 'Authorization: Basic c2VjcmV0\r\nCookie: id=secret';
  await node.send(`GET /broken HTTP/1.1\r\nHost: ann.example\r\nConnection: close\r\n${secrets}\r\n\r\n`);
  const errors = () => node.lines(ann, 'ann.example', 'error');
  const [line] = await eventually('the error is shown', errors, ({ length }) => length > 0);
  assert.equal([line?.level, line?.ip, line?.path], ['error', '127.0.0.1', '/broken']);
  assert.match(
    line?.text ?? '',
    /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[error\] dial tcp 127\.0\.0\.1:1: .*refused, client: /,
  );
  await node.caddy.fetch('bob.example', '/missing');
  const [missing] = await eventually(
    'the error of a site with error pages is shown',
    () => node.lines(bob, 'bob.example', 'error'),
    ({ length }) => length > 0,
  );
  assert.match(
    missing?.text ?? '',
    /\[error\] fileserver\..*notFound .*HTTP 404, client: .* "GET \/missing HTTP\/1\.1"$/,
  );
  assert.is((await node.lines(ann, 'ann.example'))[0]?.status, 502);
  for (const kind of ['access', 'error'] as const) {
    const file = join(node.log, '..', `${kind}.log`);
    assert.not.match(readFileSync(file, 'utf8'), /secret|c2VjcmV0/);
    assert.is(statSync(join(file, '..')).mode & 0o027, 0, 'other users cannot read it');
  }
});

real('a rotation by Caddy, its end and one of the server lose and repeat no request', async (node) => {
  let token = await node.owner('ann');
  const small = readFileSync(join(node.caddy.folder, 'vhosts/hostkeep-logs.options'), 'utf8');
  const file = join(node.caddy.folder, 'Caddyfile');
  const settings = readFileSync(file, 'utf8');
  await node.caddy.stop();
  writeFileSync(file, settings.replace(/^\timport .*\.options$/m, small.replaceAll('128MiB', '1MiB')));
  await node.caddy.up();
  let n = 0;
  const large = `X-Large: ${'x'.repeat(60_000)}`;
  const visit = async (times: number) => {
    for (let i = 0; i < times; i++)
      await node.send(`GET /${(n += 1)} HTTP/1.1\r\nHost: ann.example\r\nConnection: close\r\n${large}\r\n\r\n`);
  };
  const areShown = () => until('each is shown', async () => (await node.paths(token, 'ann.example')).length >= n);
  await visit(40);
  await areShown();
  await node.caddy.stop('SIGKILL');
  await node.caddy.up();
  await visit(5);
  await node.server.close();
  await visit(20);
  await node.up();
  token = await node.again('ann');
  await visit(20);
  await areShown();
  assert.equal(
    await node.paths(token, 'ann.example'),
    Array.from({ length: n }, (_, i) => `/${i + 1}`),
  );
  assert.ok(readdirSync(join(node.log, '..')).length > 4, 'it was rotated');
});

real('a suspended site is logged, followed live and counted', async (node) => {
  const ann = await node.owner('ann');
  const { core } = node.server.hostkeep;
  const { filesRoot } = await core.accounts.get('ann');
  writeFileSync(join(filesRoot, 'ann.example/page.txt'), 'x'.repeat(1000));
  const stream = await eventSource(node.server, ann, {}, '/api/logs/stream?domain_url=ann.example', 'user');
  try {
    await node.caddy.fetch('ann.example', '/page.txt');
    const { data } = await stream.next();
    const [line] = data['lines'] as Line[];
    assert.equal([line?.path, line?.status, line?.bytes], ['/page.txt', 200, 1000]);
  } finally {
    await stream.close();
  }
  const traffic = async () => (await node.server.ask('/api/logs/traffic', { token: ann })).body;
  const { counted, bytes } = await eventually('it is counted', traffic, (body) => body['requests'] === 1);
  assert.equal([counted, bytes], [true, 1000]);
  await core.accounts.suspend('ann');
  await until('it is suspended', async () => (await node.caddy.fetch('ann.example', '/while')).status === 503);
  await core.accounts.unsuspend('ann');
  const again = await node.again('ann');
  await until('its requests are shown', async () =>
    (await node.lines(again, 'ann.example')).some(({ path, status }) => path === '/while' && status === 503),
  );
});

real('without the options in the Caddyfile, no log is said to be written', async (node) => {
  const ann = await node.owner('ann');
  const file = join(node.caddy.folder, 'Caddyfile');
  const told = async () => (await node.server.ask('/api/logs', { token: ann })).body['written'] === true;
  await node.caddy.fetch('ann.example', '/');
  await until('it is written', told);
  await node.caddy.stop();
  writeFileSync(node.log, '');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\timport .*\.options$/m, ''));
  await node.caddy.up();
  await node.caddy.fetch('ann.example', '/');
  assert.is(await told(), false);
  const part = (await node.server.hostkeep.plugins.gather('doctor')).find(({ plugin }) => plugin === 'logs');
  const found = part?.ok === true ? part.value.find(({ name }) => name === 'logs') : undefined;
  assert.equal([found?.ok, found?.isUntried], [true, true]);
  assert.match(found?.detail ?? '', /options in its Caddyfile/);
});
