import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { projectDir } from '../kernel/system/project-dir.ts';
import type { Plugin } from '../kernel/plugin-api/plugin.ts';
import { temporaryFolder } from './support/folder.ts';
import { allPlugins, TestServer } from './support/hostkeep.ts';
import { testSuite } from './support/suite.ts';

const test = testSuite('README');
const readme = readFileSync(join(projectDir, 'README.md'), 'utf8');

test('the plugin that it shows works as it stands', async () => {
  const code = /```ts\n([^]*?)```/.exec(readme)?.[1] ?? '';
  assert.ok(code.split('\n').length <= 20);
  const file = join(temporaryFolder(), 'index.mjs');
  writeFileSync(
    file,
    code.replaceAll(
      /'..\/..\/kernel\/([\w/-]+)\.ts'/g,
      (_, name: string) => `'${pathToFileURL(join(import.meta.dirname, `../kernel/${name}.js`)).href}'`,
    ),
  );
  const { default: hello } = (await import(pathToFileURL(file).href)) as { default: Plugin };
  const server = await TestServer.start({ plugins: [hello], config: { hello: { greeting: 'Good day' } } });
  assert.is((await server.ask('/api/hello')).status, 401);
  const { token } = await server.user('ann');
  assert.equal((await server.ask('/api/hello', { token })).body, { text: 'Good day, ann' });
  await server.close();
});

test('its table names every plugin, and it is short enough to be read', async () => {
  for (const { name } of await allPlugins()) assert.match(readme, new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  assert.ok(readme.split('\n').length <= 250);
});
