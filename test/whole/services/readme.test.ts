/** The examples of README and CONTRIBUTING, compiled and run in a copy of the project as they stand on the page. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from '../../support/assert.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { hostkeep, start } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { allPlugins } from '../../support/hostkeep.ts';
import { ProjectCopy } from '../../support/project-copy.ts';
import { storesInFiles } from '../../support/postgres.ts';
import { testSuite } from '../../support/suite.ts';
import { pick } from '../../support/lists.ts';

const PASSWORD = 'correct horse battery';
const test = testSuite('README');
storesInFiles(); // the migration that is shown has no twin
const pageOf = (name: string) => readFileSync(join(projectDir, name), 'utf8');
const readme = pageOf('README.md');
const contributing = pageOf('CONTRIBUTING.md');
const copy = new ProjectCopy(['test/index.ts', 'test/support']);

/** Blocks of a page that begin with the name of a file in a comment. */
function filesOf(page: string): { path: string; text: string }[] {
  return [...page.matchAll(/```\w+\n(?:\/\/|--) (\S+)\n([^]*?)```/g)].map(([, path = '', text = '']) => ({
    path,
    text,
  }));
}

test.before(async () => {
  for (const { path, text } of [...filesOf(readme), ...filesOf(contributing)]) {
    mkdirSync(dirname(copy.path(path)), { recursive: true });
    writeFileSync(copy.path(path), text);
  }
  await copy.compile();
});

test('the plugin that it shows works as it stands', async () => {
  const example = filesOf(readme);
  assert.equal(pick(example, 'path'), ['plugins/hello/index.ts', 'plugins/hello/features.json']);
  assert.ok((example[0]?.text.split('\n').length ?? 0) <= 23);
  const [data, cli] = [temporaryFolder(), copy.path('dist/kernel/run/main.js')];
  const settings = join(temporaryFolder(), 'settings.json');
  writeFileSync(settings, '{"hello": {"greeting": "Good day"}}');
  assert.is((await hostkeep(data, ['account', 'add', '--admin', 'root'], '', cli)).code, 0);
  for (const name of ['ann', 'bob'])
    assert.is(
      (await hostkeep(data, ['account', 'add', name, '--plan', 'basic', '--password-stdin'], PASSWORD, cli)).code,
      0,
    );
  assert.is((await hostkeep(data, ['feature', 'on', 'hello', '--account', 'ann'], '', cli)).code, 0);
  const { child, line } = await start(
    data,
    ['--config', settings, 'serve', '--workers', '1'],
    /"msg":"listening"/,
    {},
    cli,
  );
  const [, url = ''] = await line(/"base_url":"([^"]+)"/);
  const greeting = async (username: string) => {
    const login = await fetch(`${url}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: PASSWORD }),
    });
    const { token } = (await login.json()) as { token: string };
    const answer = await fetch(`${url}/api/hello`, { headers: { authorization: `Bearer ${token}` } });
    return (await answer.json()) as Record<string, unknown>;
  };
  try {
    assert.is((await fetch(`${url}/api/hello`)).status, 401);
    assert.is((await greeting('bob'))['error'], 'feature_disabled');
    assert.equal(await greeting('ann'), { text: 'Good day, ann' });
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

test('the plugin that CONTRIBUTING shows passes its test as it stands', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [copy.path('dist/test/index.js'), 'plugins/notes']);
  assert.match(stdout, /\n1 passed, 0 failed\n$/);
});

test('its table names every plugin, and the pages are short enough to be read', async () => {
  for (const { name } of await allPlugins()) assert.match(readme, new RegExp(`^\\|[^|\n]*\`${name}\`[^|\n]* \\|`, 'm'));
  assert.ok(readme.split('\n').length <= 150);
  assert.ok(contributing.split('\n').length <= 220);
});
