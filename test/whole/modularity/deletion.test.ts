/**
 * The deletion test: plugins and their tests are removed from a copy of the project, one group after the other. What is left,
 * tests included, compiles; it boots, and closes the same doors; the routes of those plugins are gone.
 */
import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import { start } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { allPlugins, TestServer } from '../../support/hostkeep.ts';
import { pluginRows } from '../../support/plugin-rows.ts';
import { ProjectCopy } from '../../support/project-copy.ts';
import { testSuite } from '../../support/suite.ts';
import { groupsOf } from './groups.ts';

const plugins = await allPlugins();
const test = testSuite('deletion'); // after the last await, as it runs once this file is loaded
const copy = new ProjectCopy(['test', 'bench'], ['kernel', 'plugins', 'config', 'test', 'bench']);
let routes: readonly RouteInfo[];
/** What the whole copy answers. */
let whole: Map<string, number>;

test.before(async () => {
  const server = await TestServer.start();
  routes = server.hostkeep.node.routes();
  await server.close();
  await copy.compile();
  await copy.buildPages();
  whole = await doors();
});

/** What a guest gets at each door of the copy, by method, address and path. */
async function doors(): Promise<Map<string, number>> {
  const cli = copy.path('dist/kernel/run/main.js');
  const { child, line } = await start(temporaryFolder(), ['serve', '--workers', '1'], /"msg":"listening"/, {}, cli);
  const found = new Map<string, number>();
  try {
    const headers = { accept: 'text/html' }; // as a browser, which alone is led to a page
    const [, user = '', admin = ''] = await line(/"base_url":"([^"]+)","admin_url":"([^"]+)"/);
    for (const { address, method, paths } of routes)
      for (const path of paths) {
        const url = (address === 'user' ? user : admin) + path.replace(/[:*]\w+/g, 'x');
        found.set(`${method} ${address} ${path}`, (await fetch(url, { method, headers, redirect: 'manual' })).status);
      }
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  return found;
}

/** Takes plugins and their tests out of the copy, their compiled code too; returns a function that puts them back. */
function setAside(names: readonly string[]): () => void {
  const aside = temporaryFolder();
  const moves = names
    .flatMap((name) => [`plugins/${name}`, `dist/plugins/${name}`, `test/plugins/${name}`])
    .filter((path) => existsSync(copy.path(path)))
    .map((path, i) => [copy.path(path), join(aside, `${i}`)] as const);
  for (const [from, to] of moves) renameSync(from, to);
  return () => {
    for (const [from, to] of moves.toReversed()) renameSync(to, from);
  };
}

test('the copy compiles and boots as it is', () => {
  assert.ok(whole.size > 60);
  const guests = new Set(routes.filter(({ access }) => access === 'guest').flatMap(({ paths }) => paths));
  const gone = [...whole].filter(([door, status]) => {
    const path = door.split(' ')[2] ?? '';
    return status === 404 && !(guests.has(path) && /[:*]/.test(path));
  });
  assert.equal(gone, [], 'every route is there; nothing that a guest may ask for is called x');
});

const names = plugins.map(({ name }) => name);
const groups = groupsOf(names);
test('of each two plugins either is left while the other is away', () => {
  for (const one of names)
    for (const other of names)
      if (one !== other) assert.ok(groups.some((group) => group.includes(one) && !group.includes(other)));
});

for (const group of groups)
  test(`the rest compiles, boots, and closes the same doors without ${group.join(', ')}`, async () => {
    const putBack = setAside(group);
    try {
      const [checked, opened] = await Promise.allSettled([copy.check(), copy.buildPages().then(doors)]);
      if (checked.status === 'rejected') throw checked.reason;
      if (opened.status === 'rejected') throw opened.reason;
      const left = opened.value;
      const rows = await pluginRows();
      const pages = group.flatMap((name) => Object.keys(rows.get(name)?.pages ?? {}));
      for (const { plugin, address, method, paths } of routes)
        for (const path of paths) {
          const door = `${method} ${address} ${path}`;
          // a path that leads to a page goes with the page, and with what that page consists of
          if (plugin === 'pages' && pages.some((page) => page.startsWith(`/home${path}`))) continue;
          if (group.includes(plugin))
            assert.ok([404, 405].includes(left.get(door) ?? 0), `${door} is gone: ${left.get(door)}`);
          else assert.is(left.get(door), whole.get(door), door);
        }
    } finally {
      putBack();
    }
  });
