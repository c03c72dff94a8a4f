/**
 * The deletion test: each plugin and its tests are removed from a copy of the project, one after the other. What is
 * left, tests included, compiles; it boots, and closes the same doors; the routes, features, errors and texts of the plugin are gone.
 */
import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { RouteInfo } from '../../../kernel/contract/node-info.ts';
import { start } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { allPlugins, TestServer } from '../../support/hostkeep.ts';
import { findMentions, KNOWN_MENTIONS } from '../../support/plugin-mentions.ts';
import { ProjectCopy } from '../../support/project-copy.ts';
import { testSuite } from '../../support/suite.ts';

const plugins = await allPlugins();
const test = testSuite('deletion'); // after the last await, as it runs once this file is loaded
const MENTIONS = findMentions();
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

/**
 * Takes a plugin and its tests out of the copy, its compiled code too, and the tests and benches that are known to name it; returns a
 * function that puts them back.
 */
function setAside(name: string): () => void {
  const aside = temporaryFolder();
  const known = Object.entries(MENTIONS).flatMap(([file, of]) =>
    of.includes(name) && KNOWN_MENTIONS.includes(file) && /^bench|\.test\.ts$/.test(file) ? [file] : [],
  );
  const moves = [`plugins/${name}`, `dist/plugins/${name}`, `test/plugins/${name}`, ...known]
    .filter((path) => existsSync(copy.path(path)))
    .map((path, i) => [copy.path(path), join(aside, `${i}`)] as const);
  for (const [from, to] of moves) renameSync(from, to);
  return () => {
    for (const [from, to] of moves.toReversed()) renameSync(to, from);
  };
}

test('the copy compiles and boots as it is', () => {
  assert.ok(whole.size > 60);
  const gone = [...whole].filter(([door, status]) => status === 404 && !door.endsWith('/assets/*name'));
  assert.equal(gone, [], 'every route is there; no built file is called x');
});

for (const { name } of plugins)
  test(`without ${name} the rest compiles, boots, and closes the same doors`, async () => {
    const putBack = setAside(name);
    try {
      const [checked, opened] = await Promise.allSettled([copy.check(), copy.buildPages().then(doors)]);
      if (checked.status === 'rejected') throw checked.reason;
      if (opened.status === 'rejected') throw opened.reason;
      const left = opened.value;
      for (const { plugin, address, method, paths } of routes)
        for (const path of paths) {
          const door = `${method} ${address} ${path}`;
          if (plugin === name)
            assert.ok([404, 405].includes(left.get(door) ?? 0), `${door} is gone: ${left.get(door)}`);
          else assert.is(left.get(door), whole.get(door), door);
        }
    } finally {
      putBack();
    }
  });
