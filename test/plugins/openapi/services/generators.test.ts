/** Three generators of clients, and a linter, which nobody here wrote, read the description as it is served. */
import { execFile } from 'node:child_process';
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from '../../../support/assert.ts';
import { projectDir } from '../../../../kernel/kit/files/project-dir.ts';
import { descriptionOf, writeTypes } from '../../../client/generate.ts';
import { clientFolder } from '../../../client/install.ts';
import { lint, writeHeyApi, writeOrval } from '../../../client/generators.ts';
import { TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';

const STRICT = [
  '--ignoreConfig',
  '--singleThreaded',
  '--noEmit',
  '--strict',
  '--noUncheckedIndexedAccess',
  '--skipLibCheck',
];
const MODULES = ['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--module', 'esnext'];
const RESOLUTION = ['--moduleResolution', 'bundler', '--allowImportingTsExtensions'];
const ADDRESSES = ['user', 'admin'] as const;
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

const test = testSuite('openapi, generators');
let folder: string;
test.before(async () => {
  folder = await clientFolder('generators');
  const server = await TestServer.start();
  for (const address of ADDRESSES) {
    const { body: guest } = await server.ask('/openapi.json', { address });
    const whole = await descriptionOf(server, address);
    writeFileSync(join(folder, `${address}.json`), JSON.stringify(whole));
    writeFileSync(join(folder, `${address}-guest.json`), JSON.stringify(guest));
    await writeTypes(join(folder, 'openapi-typescript'), address, whole);
  }
  await server.close();
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('redocly lint finds neither errors nor warnings', async () => {
  const files = ADDRESSES.flatMap((address) => [`${address}.json`, `${address}-guest.json`]);
  assert.match(await lint(folder, files), 'Your API descriptions are valid');
  writeFileSync(join(folder, 'broken.json'), JSON.stringify({ openapi: '3.1.1', info: { title: 'x', version: '1' } }));
  assert.match(await lint(folder, ['broken.json']), /Validation failed with \d+ errors?/);
});

test("strict clients of three generators have the schemas' names", async () => {
  await Promise.all([writeHeyApi(folder, ADDRESSES), writeOrval(folder, ADDRESSES)]);
  copyFileSync(join(projectDir, 'test/plugins/openapi/fixtures/client/names.ts'), join(folder, 'names.ts'));
  const args = [compiler, ...STRICT, ...MODULES, ...RESOLUTION, 'names.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  assert.is(stdout, '');
  // What has no name, orval numbers. The query of an alias has the name of the alias: that of its operation, and a number.
  const isUnnamed = (name: string) => /\d|item|anyof|oneof/i.test(name) && name !== 'usageDisk2Params.ts';
  for (const address of ADDRESSES)
    assert.equal(readdirSync(join(folder, 'orval', address, 'model')).filter(isUnnamed), []);
});
