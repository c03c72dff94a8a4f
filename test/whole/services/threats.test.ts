/** Threats that no single area's tests cover: they concern several areas, or are checked in the source text. */
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type SecureVersion } from 'node:tls';
import { TOTP } from 'otpauth';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { selfSigned } from '../../support/certificate.ts';
import { fakeEngine, json } from '../../support/fake-engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD, TestServer } from '../../support/hostkeep.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { rawConnection } from '../../support/raw.ts';
import { testSuite } from '../../support/suite.ts';
import { until } from '../../support/until.ts';
import { assertNone } from '../../support/lists.ts';

const test = testSuite('threats');

function sources(): { readonly file: string; readonly text: string }[] {
  return ['kernel', 'plugins'].flatMap((folder) =>
    readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({ file: `${folder}/${name}`, text: readFileSync(join(projectDir, folder, name), 'utf8') })),
  );
}

const where = (pattern: RegExp) =>
  sources()
    .filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .toSorted();

// threat header-injection: one writer sends all reply headers
test('only the kernel writes reply headers', () => {
  assert.equal(
    where(/\.writeHeader\(|\.writeStatus\(|\.setHeader\(|\.writeHead\(/).filter((file) => !file.startsWith('kernel/')),
    [],
  );
});

// threat hostile-php: no code is created from text, so PHP is parsed and never run
// asvs 1.3.2: eval, new Function and node:vm are used nowhere
test('no code is created from text', () => {
  assert.equal(where(/\beval\(|\bnew Function\(|node:vm'/), []);
});

// threat docker-proxied: the container engine only ever receives fixed paths
test('a client cannot choose a path of the container engine', async () => {
  const socket = join(temporaryFolder(), 'engine.sock');
  const engine = await fakeEngine(socket, (path, response) =>
    json(response, path.endsWith('/version') ? { ApiVersion: '1.41' } : []),
  );
  const server = await TestServer.start({ config: { containers: { socket } } });
  const { token } = await server.user('ann');
  const admin = await server.admin();
  for (const path of [
    '/containers/json',
    '/v1.41/containers/json',
    '/api/docker_stats/../containers/json',
    '/api/containers/create',
    '/api/container/df/../../v1.41/info',
    '/api/docker/_ping',
    '/exec/x/start',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      assert.is((await server.ask(path, { token, method })).status, 404, path);
      assert.is((await server.ask(path, { token: admin.token, method, address: 'admin' })).status, 404, path);
    }
  }
  assertNone(engine.asked, (path) => /create|exec|_ping\/|info\/|start/.test(path));
});

// threat half-made-changes: a change completes although its client disconnected
test('a change completes after its client has disconnected', async () => {
  const server = await TestServer.start();
  const { account, token } = await server.user('ann');
  const names = Array.from({ length: 20 }, (_, i) => `gone-${i}.example`);
  for (const name of names) {
    const body = JSON.stringify({ domain_url: name });
    const socket = await rawConnection(server.hostkeep.url('user'));
    socket.write(
      `POST /api/domains/new HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      () => socket.destroy(),
    );
  }
  const made = async () =>
    (await server.ask<{ domains: { domain_url: string }[] }>('/api/domains', { token })).body.domains.map(
      ({ domain_url }) => domain_url,
    );
  await until('every domain is made', async () => (await made()).length >= names.length);
  assert.equal((await made()).toSorted(), names.toSorted(), 'each request was complete before its client disconnected');
  for (const name of names) assert.ok(existsSync(join(account.filesRoot, name)), name);
});

// threat leaked-secrets: no secret appears in the log, the command line or the environment
// asvs 14.2.1-3: secrets travel in bodies and headers only, and reach no log
test('no secret appears in the log, the command line or the environment of the process', async () => {
  const data = join(temporaryFolder(), 'data');
  await prepare(data, { ann: 'user', root: 'admin' });
  const node = await NodeProcess.start(data, { config: { log: { level: 'trace' } } });
  try {
    const put = (path: string, body: unknown, token: string, method = 'PUT') => node.ask(path, { method, body, token });
    await put('/api/login', { username: 'ann', password: 'a wrong password of ann' }, '', 'POST');
    const token = await node.login('ann');
    const {
      body: { secret },
    } = await put('/api/account/2fa/setup', { password: PASSWORD }, token, 'POST');
    const code = new TOTP({ secret: String(secret) }).generate();
    const { body } = await put('/api/account/2fa/confirm', { code }, token, 'POST');
    await put('/api/account/password', { password: PASSWORD, new_password: 'the next password of ann' }, token);
    await put('/api/account/password', { password: PASSWORD, new_password: 5 }, token);
    const admin = await node.login('root', undefined, 'admin');
    await node.ask('/api/accounts/ann/password', {
      method: 'PUT',
      body: { password: 'what root chose for ann' },
      token: admin,
      address: 'admin',
    });
    const keys = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')) as {
      sealing: string;
      signing: { secret: string }[];
    };
    const secrets = [
      PASSWORD,
      'a wrong password of ann',
      'the next password of ann',
      'what root chose for ann',
      token,
      admin,
      String(secret),
      ...(body['recovery_codes'] as string[]),
      keys.sealing,
      ...keys.signing.map((key) => key.secret),
    ];
    const disclosed = [
      node.output,
      readFileSync(`/proc/${node.pid}/cmdline`, 'latin1'),
      readFileSync(`/proc/${node.pid}/environ`, 'latin1'),
    ];
    assert.match(node.output, /"msg":"change"/);
    for (const text of disclosed)
      for (const each of secrets) assert.not.ok(text.includes(each), `${each} was disclosed`);
  } finally {
    await node.end('SIGKILL');
  }
});

// asvs 12.1.1: TLS 1.2 and 1.3 only
test('TLS 1.0 and 1.1 are refused', async () => {
  const server = await TestServer.start({ config: { tls: selfSigned('localhost') } });
  const reach = (version: SecureVersion) =>
    new Promise<string>((resolve) => {
      const options = {
        host: '127.0.0.1',
        port: Number(new URL(server.hostkeep.url('user')).port),
        rejectUnauthorized: false,
        ciphers: 'DEFAULT@SECLEVEL=0',
        minVersion: version,
        maxVersion: version,
      };
      const socket = connect(options, () => {
        resolve(socket.getProtocol() ?? '');
        socket.destroy();
      }).on('error', () => resolve('refused'));
    });
  const versions: readonly SecureVersion[] = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
  assert.equal(await Promise.all(versions.map(reach)), ['refused', 'refused', 'TLSv1.2', 'TLSv1.3']);
});

// threat forged-state: the log is JSON, without the members that hold secrets
// asvs 16.2.4-5, 16.4.1: one JSON line per entry; line breaks are escaped and secrets redacted
test('the log redacts secrets and writes one line per entry', () => {
  const module = JSON.stringify(new URL('../../../kernel/log.js', import.meta.url).href);
  const entry =
    "{ password: 'p-1', token: 'p-2', body: { new_password: 'p-3', code: 'p-4' }, headers: { authorization: 'p-5' } }, 'said\\r\\n{\"forged\":true}'";
  const output = execFileSync(
    process.execPath,
    ['--input-type=module', '-e', `import { createLog } from ${module}; createLog('info').info(${entry});`],
    { encoding: 'utf8' },
  );
  assert.is(output.trimEnd().split('\n').length, 1);
  assert.match(output, /redacted/);
  assert.not.match(output, /p-\d/);
});

// asvs 9.1.2: only HS256 is accepted; HS384, HS512 and none are refused also with the correct key
test('tokens of another algorithm are refused, also with the correct key', async () => {
  const server = await TestServer.start();
  const { token } = await server.user('ann');
  const [head = '', payload = '', signature = ''] = token.split('.');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
  const { signing } = JSON.parse(readFileSync(join(server.data, 'keys.json'), 'utf8')) as {
    signing: { kid: string; secret: string }[];
  };
  const secret = Buffer.from(signing.find((key) => key.kid === kid)?.secret ?? '', 'base64url');
  const signed = (header: object, hash: string) => {
    const text = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`;
    return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
  };
  const status = async (each: string) => (await server.ask('/api/favorites', { token: each })).status;
  assert.is(await status(signed({ alg: 'HS256', typ: 'JWT', kid }, 'sha256')), 200, 'the key is the correct one');
  for (const [alg, hash] of [
    ['HS384', 'sha384'],
    ['HS512', 'sha512'],
    ['none', 'sha256'],
    ['RS256', 'sha256'],
    ['hs256', 'sha256'],
  ] as const)
    assert.is(await status(signed({ alg, typ: 'JWT', kid }, hash)), 401, alg);
  assert.is(await status(signed({ alg: 'HS256', typ: 'JWT', kid: 'other' }, 'sha256')), 401, 'unknown kid');
  assert.is(await status(`${head}.${payload}.${signature.slice(1)}`), 401);
});
