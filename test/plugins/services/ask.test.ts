import { createServer, type RequestListener } from 'node:http';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from '../../support/assert.ts';
import type { JobContext } from '../../../kernel/kit/jobs/job.ts';
import askService from '../../../plugins/services/ask-job.ts';
import { readRecipes, type Exchange, type Recipe } from '../../../plugins/services/recipes.ts';
import { atEnd } from '../../support/ending.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('questions to services');
const recipes = readRecipes();
/** What the documentation shows for the filtered statistics, of both programs. */
const STATISTICS = {
  indices: { count: 2, docs: { count: 10 }, store: { size_in_bytes: 16_684 } },
  nodes: { jvm: { mem: { heap_used_in_bytes: 113_245_864 } } },
};
const GET: Exchange = { method: 'GET', path: '/' };

/** Serves at the socket of a service. Returns a function that asks it. */
async function served(recipe: Recipe, listener: RequestListener) {
  const path = temporaryFolder();
  mkdirSync(join(path, '.services', recipe.name), { recursive: true });
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(join(path, '.services', recipe.name, recipe.socket), resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return (exchange: Exchange, values = {}) =>
    askService({ recipe, exchange, values }, { root: { path } } as JobContext);
}

for (const name of ['elasticsearch', 'opensearch'])
  test(`the statistics of ${name} are read in parts and pieces, and a refusal is no answer`, async () => {
    const recipe = recipes.get(name) as Recipe;
    const asked: string[] = [];
    const ask = await served(recipe, ({ method, url = '' }, response) => {
      asked.push(`${method} ${url}`);
      if (url.startsWith('/_cluster/health')) response.writeHead(408).end('{"status":"red","timed_out":true}');
      else if (method === 'DELETE') response.end('{"acknowledged":true}');
      else for (const part of JSON.stringify(STATISTICS).match(/.{1,20}/g) ?? []) response.write(part);
      if (!response.writableEnded) response.end();
    });
    assert.is(await ask(recipe.health), null);
    assert.equal(await ask(recipe.figures.exchange, recipe.figures.values), {
      ...{ indices: 2, documents: 10, stored_bytes: 16_684, memory_bytes: 113_245_864 },
    });
    for (const each of recipe.flush) assert.equal(await ask(each), {});
    assert.match(asked.join('\n'), /\nDELETE \/_data_stream\/\*\S*\nDELETE \/_all$/);
  });

test('what breaks off, redirects, is slow or is too large is no answer', async () => {
  const recipe = recipes.get('elasticsearch') as Recipe;
  const endless = Buffer.alloc(1 << 17, 'x');
  const answers: RequestListener[] = [
    (_, response) => void response.destroy(),
    (_, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
    () => undefined,
    (_, response) => void response.write(endless),
    (_, response) => void response.writeHead(200, { 'Content-Length': 10 }).write('{'),
  ];
  for (const answer of answers) assert.is(await (await served(recipe, answer))(GET), null);
});

test('what a program prints is an answer, unless it fails, hangs or prints too much', async () => {
  const recipe = recipes.get('varnish') as Recipe;
  const path = temporaryFolder();
  const ask = (program: string, ...args: string[]) =>
    askService({ recipe, exchange: { program, arguments: args }, values: recipe.figures.values }, {
      root: { path },
    } as JobContext);
  const printed = ['hit   12', 'miss   3'].map((each) => `MAIN.cache_${each}   0.00 Cache`).join('\\n');
  assert.equal(await ask('printf', `${printed}\\nSMA.s0.g_bytes   77   .   Bytes\\n`), {
    ...{ hits: 12, misses: 3, keys: 0, evicted: 0, memory_bytes: 77 },
  });
  assert.equal(Object.keys((await ask('echo', '{folder}')) ?? {}).length, 5);
  for (const [program, ...args] of [['false'], ['sleep', '60'], ['yes'], ['hostkeep-none']] as const)
    assert.is(await ask(program, ...args), null, program);
});
