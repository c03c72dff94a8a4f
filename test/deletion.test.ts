/**
 * The deletion test: each plugin that no other needs is removed from a copy of the project, one after the other. What is
 * left compiles, boots, and closes the same doors; the routes, features, errors and texts of the plugin are gone.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import type { RouteInfo } from '../kernel/plugin-api/node-info.ts';
import { projectDir } from '../kernel/system/project-dir.ts';
import { start } from './support/command.ts';
import { temporaryFolder } from './support/folder.ts';
import { allPlugins, TestServer } from './support/hostkeep.ts';
import { testSuite } from './support/suite.ts';

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
const plugins = await allPlugins();
const test = testSuite('deletion'); // after the last await, as it runs once this file is loaded
const needed = new Set(plugins.flatMap(({ needs = [] }) => needs));
const copy = temporaryFolder();
let routes: readonly RouteInfo[];

test.before(async () => {
  const server = await TestServer.start();
  routes = server.hostkeep.node.routes();
  await server.close();
  for (const name of ['kernel', 'plugins', 'config', 'package.json', 'tsconfig.json'])
    cpSync(join(projectDir, name), join(copy, name), { recursive: true });
  symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(
    join(copy, 'tsconfig.copy.json'),
    JSON.stringify({ extends: './tsconfig.json', include: ['kernel', 'plugins'] }),
  );
});

async function compile(): Promise<void> {
  rmSync(join(copy, 'dist'), { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [compiler, '-p', 'tsconfig.copy.json'], { cwd: copy }).catch(
    ({ stdout }: { stdout: string }) => assert.unreachable(stdout),
  );
}

/** What a guest gets at each door of the copy, by method, address and path. */
async function doors(): Promise<Map<string, number>> {
  const cli = join(copy, 'dist/kernel/cli/main.js');
  const { child, line } = await start(temporaryFolder(), ['serve'], /"msg":"listening"/, {}, cli);
  const found = new Map<string, number>();
  try {
    const [, user = '', admin = ''] = await line(/"base_url":"([^"]+)","admin_url":"([^"]+)"/);
    for (const { address, method, paths } of routes)
      for (const path of paths) {
        const url = (address === 'user' ? user : admin) + path.replace(/[:*]\w+/g, 'x');
        found.set(`${method} ${address} ${path}`, (await fetch(url, { method })).status);
      }
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  return found;
}

let whole: Map<string, number>;
test('the copy compiles and boots as it is', async () => {
  await compile();
  whole = await doors();
  assert.ok(whole.size > 60);
  assert.not([...whole.values()].includes(404), 'every route is there');
});

for (const { name } of plugins)
  if (!needed.has(name))
    test(`without ${name} the rest compiles, boots, and closes the same doors`, async () => {
      const aside = join(temporaryFolder(), name);
      renameSync(join(copy, 'plugins', name), aside);
      try {
        await compile();
        const left = await doors();
        for (const { plugin, address, method, paths } of routes)
          for (const path of paths) {
            const door = `${method} ${address} ${path}`;
            if (plugin === name)
              assert.ok([404, 405].includes(left.get(door) ?? 0), `${door} is gone: ${left.get(door)}`);
            else assert.is(left.get(door), whole.get(door), door);
          }
      } finally {
        renameSync(aside, join(copy, 'plugins', name));
      }
    });
