import { execFile } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TOTP } from 'otpauth';
import * as assert from '../../../support/assert.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { descriptionOf, writeTypes, type Description } from '../../../client/generate.ts';
import { clientFolder } from '../../../client/install.ts';
import { PASSWORD, TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';

/** The exports of `test/plugins/openapi/fixtures/client/dashboard.ts`, which compiles only beside the generated types. */
interface Client {
  overview(
    baseUrl: string,
    username: string,
    password: string,
    code?: string,
  ): Promise<{ cpu_limit: number; domains: unknown[]; features: string[] }>;
  addAndRemove(baseUrl: string, token: string, domain: string): Promise<string[]>;
  memoryInUse(baseUrl: string, token: string): Promise<number>;
}

const STRICT = [
  '--ignoreConfig',
  '--singleThreaded',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--skipLibCheck',
  '--verbatimModuleSyntax',
];
const MODULES = [
  '--target',
  'es2023',
  '--lib',
  'es2023,dom',
  '--module',
  'nodenext',
  '--rewriteRelativeImportExtensions',
  '--types',
  'node',
];
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const test = testSuite('openapi, generated client');
let server: TestServer;
let folder: string;
let descriptions: { user: Description; admin: Description };
test.before(async () => {
  server = await TestServer.start();
  descriptions = { user: await descriptionOf(server, 'user'), admin: await descriptionOf(server, 'admin') };
  folder = await clientFolder('test');
});
test.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

/** Generates the types, compiles the client with them, and returns the compiler's errors. */
async function compile({ user, admin }: typeof descriptions): Promise<string> {
  await writeTypes(folder, 'user', user);
  await writeTypes(folder, 'admin', admin);
  copyFileSync(join(projectDir, 'test/plugins/openapi/fixtures/client/dashboard.ts'), join(folder, 'dashboard.ts'));
  return new Promise(
    (resolve) =>
      void execFile(process.execPath, [compiler, ...STRICT, ...MODULES, join(folder, 'dashboard.ts')], (_, stdout) =>
        resolve(stdout),
      ),
  );
}

test('a removed or retyped member, or a removed path, no longer compiles', async () => {
  const changed = (from: string | RegExp, to: string) => ({
    ...descriptions,
    user: JSON.parse(JSON.stringify(descriptions.user).replaceAll(from, to)) as Description,
  });
  assert.match(await compile(changed('"user_websites"', '"sites"')), /Property 'user_websites' does not exist/);
  assert.match(
    await compile(changed(/(?<="cpu_limit":\{[^}]*"type":)"integer"/g, '"string"')),
    /Type 'string' is not assignable to type 'number'/,
  );
  assert.match(await compile(changed('"/api/dashboard"', '"/api/summary"')), /"\/api\/dashboard"/);
});

test('the client logs in with a second factor, reads and changes domains', async () => {
  assert.is(await compile(descriptions), '');
  const client = (await import(pathToFileURL(join(folder, 'dashboard.js')).href)) as Client;
  const { account, token } = await server.user('anna');
  const [user, admin] = [server.hostkeep.url('user'), server.hostkeep.url('admin')];
  let refusal: unknown;
  await client.overview(user, 'anna', 'wrong').catch((error: Error) => (refusal = error.message));
  assert.is(refusal, 'invalid_credentials');

  assert.equal(await client.addAndRemove(user, token, 'anna.example'), ['anna.example']);
  const seen = await client.overview(user, 'anna', PASSWORD);
  assert.equal([seen.cpu_limit, seen.domains, seen.features], [400, [], server.hostkeep.node.usableFeatures(account)]);

  const { body } = await server.ask<{ secret: string }>('/api/account/2fa/setup', {
    method: 'POST',
    token,
    body: { password: PASSWORD },
  });
  const totp = new TOTP({ secret: body.secret });
  await server.ask('/api/account/2fa/confirm', { method: 'POST', token, body: { code: totp.generate() } });
  await client.overview(user, 'anna', PASSWORD).catch((error: Error) => (refusal = error.message));
  assert.is(refusal, `account ${account.id} needs a code`);
  const next = totp.generate({ timestamp: Date.now() + 30_000 });
  assert.equal((await client.overview(user, 'anna', PASSWORD, next)).domains, []);

  const percent = await client.memoryInUse(admin, (await server.admin()).token);
  assert.ok(percent > 0 && percent < 100);
});
