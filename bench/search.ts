/**
 * What a search among a million names costs: `npm run build && node dist/bench/search.js [files] [--remove]`. The tree
 * is made in the temporary folder and kept for the next run, or removed at the end. `find`, `fdfind` and `plocate`
 * (Debian: fd-find, plocate) search the same tree for the same texts in the same run, their process included.
 */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { bigTree, removeBigTree } from './support/big-tree.ts';
import { load, median, percentile } from './support/load.ts';
import { coreOf, machineText, startHostkeep, temporaryFolder, tokenFor } from './support/processes.ts';

const run = promisify(execFile);
const TEXTS = ['report-1a2', 'invoice-z', 'summary-1f3', 'photo-9zx', 'cache-42'];
const wanted = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 1_000_000);
const tree = bigTree(wanted);
const data = temporaryFolder();
const settings = (watchShare?: number) => ({
  files_root: join(tree.root, '..', '{username}'),
  search: { memory_mib: 1024, ...(watchShare !== undefined && { watch_share: watchShare }) },
});

await (await startHostkeep(data, settings())).stop(); // its plugins make their tables
const core = await coreOf(data);
/** The tree's folder is called files, and so it is this account's; the other account has none. */
const [token = '', otherToken = ''] = await Promise.all(['files', 'none'].map(tokenOf));
const database = join(data, 'plocate.db');
execFileSync('updatedb', ['-l', '0', '-U', tree.root, '-o', database, '--prunepaths', '', '--prunefs', '']);
let server = await startHostkeep(data, settings());

async function tokenOf(username: string): Promise<string> {
  const passwordHash = await core.passwords.hash('correct horse battery staple');
  return tokenFor(core, await core.accounts.create({ username, role: 'user', plan: 'developer', passwordHash }));
}

interface Reply {
  readonly hits: { path: string }[];
  readonly isReady: boolean;
  readonly ms: number;
}
async function search(query: string, as = token): Promise<Reply> {
  const started = performance.now();
  const response = await fetch(`${server.url}/api/search/files?${query}`, {
    headers: { authorization: `Bearer ${as}` },
  });
  const hits = (await response.json()) as Reply['hits'];
  if (response.status !== 200) throw new Error(`the search answered ${response.status}`);
  return { hits, isReady: response.headers.get('x-hostkeep-index') === 'ready', ms: performance.now() - started };
}
/** Milliseconds of a program; it may find nothing. */
async function timed(program: string, args: readonly string[]): Promise<number> {
  const started = performance.now();
  await run(program, [...args], { maxBuffer: 1 << 30 }).catch((error: { code?: unknown }) => {
    if (error.code !== 1) throw error;
  });
  return performance.now() - started;
}
/** The processes that hold indexes. */
function indexProcesses(): string[] {
  const { pid } = server.child;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children.filter((each) => each !== '');
}
/** All that is resident of a process, or its share in it, which counts pages of Node.js itself once for all processes. */
function memoryBytes(pid: string, member: 'Rss' | 'Pss'): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${member}:\\s+(\\d+)`, 'm').exec(text)?.[1]) * 1024;
}
const ms = (value: number) => `${value.toFixed(2)} ms`;
const line = (name: string, value: string, ratio = '') =>
  console.log(`  ${name.padEnd(52)} ${value.padStart(12)}   ${ratio}`);

console.log(`Search bench: ${machineText()}, ${tree.files} files in ${tree.folders} folders\n`);

async function indexing(): Promise<void> {
  const finds: number[] = [];
  for (let i = 0; i < 3; i += 1) finds.push(await timed('find', [tree.root, '-iname', '*nothing-like-it*']));
  for (const url of ['/system/hosting/plan', '/api/search/files?q=a'])
    await load({ name: 'warm-up', url: server.url + url, token: otherToken }, { seconds: 3 });
  const before = new Set(indexProcesses());
  const poll = `limit=1&folder=${encodeURIComponent(tree.lastFolder)}`;
  const started = performance.now();
  while (!(await search(poll)).isReady) await delay(10);
  const built = performance.now() - started;
  line('find, whole tree', ms(median(finds)));
  line(
    'index built, first search to first answer from it',
    ms(built),
    `${(built / median(finds)).toFixed(2)} × find (at most 2)`,
  );
  for (let i = 0; i < 50; i += 1, await delay(200)) await search(poll); // folders are compared for the first time
  const pid = indexProcesses().find((each) => !before.has(each)) ?? '';
  const bytes = (member: 'Rss' | 'Pss') => (memoryBytes(pid, member) / tree.files).toFixed(1);
  line(
    'memory of the process',
    `${bytes('Rss')} B`,
    `a file (at most 100); ${bytes('Pss')} B with shared pages divided`,
  );
}

/** A folder that did not change lately, unless it is chosen a second time. */
function randomFolder(): string {
  const below = (end: number) => Math.floor(Math.random() * end);
  const site = String(below(tree.folders / 1000)).padStart(3, '0');
  return `site-${site}.example/dir-${10 + below(27)}/sub_${10 + below(36)}`;
}

/** Milliseconds until a new file is found; when it is removed, the next search must not list it. */
async function freshness(folder: string, name: string): Promise<number> {
  const file = join(tree.root, folder, `brand-new-${name}.txt`);
  const started = performance.now();
  writeFileSync(file, '');
  let found: number;
  try {
    while ((await search(`q=brand-new-${name}`)).hits.length === 0)
      if (performance.now() - started > 60_000) throw new Error('a new file was not found');
    found = performance.now() - started;
  } finally {
    unlinkSync(file); // the next run uses the tree again
  }
  if ((await search(`q=brand-new-${name}`)).hits.length > 0) throw new Error('a removed file was listed');
  return found;
}

async function searching(): Promise<void> {
  const times: Record<'ours' | 'fdfind' | 'plocate', number[]> = { ours: [], fdfind: [], plocate: [] };
  for (const text of TEXTS) {
    const { hits } = await search(`q=${text}&limit=1000`);
    const { stdout } = await run('plocate', ['-i', '-b', '-d', database, text], { maxBuffer: 1 << 30 }).catch(() => ({
      stdout: '',
    }));
    const expected = stdout.split('\n').length - 1;
    if (hits.length !== Math.min(1000, expected))
      throw new Error(`${text}: ${hits.length} hits, plocate has ${expected}`);
    for (let i = 0; i < 40; i += 1) {
      times.ours.push((await search(`q=${text}`)).ms);
      times.plocate.push(await timed('plocate', ['-i', '-b', '-d', database, text]));
    }
    for (let i = 0; i < 3; i += 1) times.fdfind.push(await timed('fdfind', ['-u', '-i', '-F', text, tree.root]));
  }
  const ours = median(times.ours);
  line('search over HTTP, p50', ms(ours), `p99 ${ms(percentile(times.ours, 0.99))}`);
  line('fdfind, p50', ms(median(times.fdfind)), `${(median(times.fdfind) / ours).toFixed(0)} × ours (at least 100)`);
  line(
    'plocate, p50',
    ms(median(times.plocate)),
    `ours is ${(ours / median(times.plocate)).toFixed(2)} × plocate (at most 2)`,
  );
  for (const query of ['q=a', 'q=re', 'q=report', 'ext=sql', 'q=']) {
    const each: number[] = [];
    for (let i = 0; i < 20; i += 1) each.push((await search(query)).ms);
    line(`${query}, the first 100 of very many, p50`, ms(median(each)));
  }
}

async function others(): Promise<void> {
  const target = { name: 'plan', url: `${server.url}/system/hosting/plan`, token };
  const [idle, busy]: [number[], number[]] = [[], []];
  let count = 0;
  for (let round = 0; round < 5; round += 1) {
    idle.push((await load(target, { seconds: 2, connections: 4 })).p99Ms);
    const done = new AbortController();
    const searches = (async () => {
      for (let i = 0; !done.signal.aborted; i += 1, count += 1) await search(`q=${TEXTS[i % TEXTS.length]}`);
    })();
    busy.push((await load(target, { seconds: 2, connections: 4 })).p99Ms);
    done.abort();
    await searches;
  }
  line('other reads, p99 when idle (4 connections)', ms(median(idle)));
  line(
    `other reads, p99 during searches, ${Math.round(count / 10)} a second`,
    ms(median(busy)),
    `${(median(busy) / median(idle)).toFixed(2)} × idle (at most 3)`,
  );
}

/** Files in folders that changed long ago, each sought until it is found, with pauses in between. */
async function fresh(watches: string): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < 30; i += 1, await delay(Math.random() * 1000))
    times.push(await freshness(randomFolder(), `${watches}-${i}`));
  line(
    `a new file is found after, ${watches} watches, p50`,
    ms(median(times)),
    `slowest ${ms(Math.max(...times))} (at most 1000)`,
  );
}

try {
  await indexing();
  await searching();
  await fresh('usual');
  await others();
  await server.stop();
  server = await startHostkeep(data, settings(0));
  while (!(await search('limit=1')).isReady) await delay(10);
  await fresh('no');
} finally {
  await server.stop();
  await core.close();
  if (process.argv.includes('--remove')) removeBigTree(tree);
}
