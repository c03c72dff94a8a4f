import { execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../support/random.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';

const PAGE_BYTES = 4096;
/** Number of favorites: their rows fill more than a page. */
const FAVORITES = 50;
const READS = [
  '/api/favorites',
  '/api/domains',
  '/api/account/language',
  '/api/account/2fa',
  '/api/account/login-history',
  '/system/hosting/plan',
];

interface Damage {
  readonly name: string;
  readonly make: (data: string) => void;
  /** The message with which the node must refuse to start; without it, the node may also start. */
  readonly refusal?: RegExp;
}

const store = (data: string) => join(data, 'hostkeep.db');
const local = (data: string) => join(data, 'node.db');
const RESTORE = /^hostkeep: .*hostkeep\.db.*backup/m;

const DAMAGES: readonly Damage[] = [
  {
    name: 'garbage for a header',
    make: (data) => overwrite(store(data), 0, Buffer.alloc(100, 0xa5)),
    refusal: RESTORE,
  },
  { name: 'an empty file', make: (data) => truncateSync(store(data)), refusal: RESTORE },
  { name: 'no file', make: (data) => rmSync(store(data)), refusal: RESTORE },
  { name: 'another file', make: (data) => writeFileSync(store(data), 'hello '.repeat(10_000)), refusal: RESTORE },
  {
    name: 'half a file',
    make: (data) => truncateSync(store(data), Math.floor(statSync(store(data)).size / PAGE_BYTES / 2) * PAGE_BYTES),
    refusal: RESTORE,
  },
  {
    name: 'a file without its last page',
    make: (data) => truncateSync(store(data), statSync(store(data)).size - PAGE_BYTES),
    refusal: RESTORE,
  },
  {
    name: 'a folder',
    make: (data) => (rmSync(store(data)), cpSync(join(data, 'files'), store(data), { recursive: true })),
    refusal: /^hostkeep: .*hostkeep\.db/m,
  },
  {
    name: 'garbage for a header of the local store',
    make: (data) => overwrite(local(data), 0, Buffer.alloc(100, 0xa5)),
    refusal: /^hostkeep: .*node\.db.*remove it/m,
  },
  { name: 'no local store', make: (data) => rmSync(local(data)) },
  { name: 'no keys', make: (data) => rmSync(join(data, 'keys.json')), refusal: /^hostkeep: .*keys\.json.*backup/m },
  {
    name: 'empty keys',
    make: (data) => truncateSync(join(data, 'keys.json')),
    refusal: /^hostkeep: .*keys\.json.*backup/m,
  },
  {
    name: 'keys of another shape',
    make: (data) => writeFileSync(join(data, 'keys.json'), '{"signing":[]}'),
    refusal: /^hostkeep: .*keys\.json.*backup/m,
  },
];

/**
 * Damages the files of a stopped node. Rejects unless the node refuses to start with instructions, or returns correct
 * replies or 5xx.
 */
export async function damageFiles(share: number, random: Random): Promise<string[]> {
  const folder = temporaryFolder();
  const whole = join(folder, 'whole');
  const { token, answers } = await fill(whole);
  let refused = 0;
  for (const damage of DAMAGES) refused += (await start(folder, whole, damage, token, answers)) === 'refused' ? 1 : 0;
  const pages = Math.floor(statSync(store(whole)).size / PAGE_BYTES);
  const picked = Array.from({ length: pages - 1 }, (_, i) => i + 1).filter((page) => page % Math.ceil(1 / share) === 0);
  const outcomes = { refused: 0, failed: 0, unharmed: 0 };
  for (const page of picked) {
    outcomes[
      await start(
        folder,
        whole,
        {
          name: `garbage for page ${page}`,
          make: (data) => overwrite(store(data), page * PAGE_BYTES, random.bytes(PAGE_BYTES)),
        },
        token,
        answers,
      )
    ] += 1;
  }
  const counts = `start refused ${outcomes.refused}, requests failed ${outcomes.failed}, no effect ${outcomes.unharmed}`;
  return [
    `damaged files: ${DAMAGES.length} kinds, ${refused} refused with instructions`,
    `damaged pages: ${picked.length} of ${pages}; ${counts}; no wrong reply`,
  ];
}

async function fill(data: string): Promise<{ token: string; answers: Map<string, string> }> {
  await prepare(data, { demo: 'user' });
  const node = await NodeProcess.start(data);
  const token = await node.login('demo');
  for (let i = 0; i < FAVORITES; i += 1)
    await node.ask('/api/favorites', { method: 'PUT', token, body: { link: `/page-${i}`, title: 'x'.repeat(200) } });
  for (let i = 0; i < 10; i += 1)
    await node.ask('/api/domains/new', { method: 'POST', token, body: { domain_url: `d${i}.example` } });
  const answers = new Map<string, string>();
  for (const path of READS) answers.set(path, JSON.stringify((await node.ask(path, { token })).body));
  await node.end();
  return { token, answers };
}

/** Starts a node on a damaged copy. Rejects if it returns a wrong reply, dies, or refuses without a message. */
async function start(
  folder: string,
  whole: string,
  { name, make, refusal }: Damage,
  token: string,
  answers: ReadonlyMap<string, string>,
): Promise<'refused' | 'failed' | 'unharmed'> {
  const data = join(folder, 'damaged');
  rmSync(data, { recursive: true, force: true });
  execFileSync('cp', ['-a', whole, data]); // cpSync of Node.js 24 opens folders to others
  make(data);
  const node = NodeProcess.spawn(data);
  const started = await node.listening().then(
    () => true,
    () => false,
  );
  if (!started) return assertRefused(node, name, refusal ?? RESTORE);
  try {
    if (refusal !== undefined) throw new Error(`with ${name} the node started`);
    return await readAll(node, name, token, answers);
  } finally {
    await node.end('SIGKILL');
  }
}

async function assertRefused(node: NodeProcess, name: string, refusal: RegExp): Promise<'refused'> {
  const code = await node.ended();
  if (code !== 1) throw new Error(`with ${name} the node exited with ${code}: ${node.output}`);
  if (!refusal.test(node.output)) throw new Error(`with ${name} the node printed: ${node.output}`);
  return 'refused';
}

async function readAll(
  node: NodeProcess,
  name: string,
  token: string,
  answers: ReadonlyMap<string, string>,
): Promise<'refused' | 'failed' | 'unharmed'> {
  const statuses = new Set<number>();
  for (const [path, wanted] of answers) {
    const reply = await node.ask(path, { token }).catch(() => undefined);
    // the node may find the damage just after it began to listen
    if (reply === undefined) return assertRefused(node, name, RESTORE);
    const { status, body } = reply;
    statuses.add(status);
    if (status === 200 && JSON.stringify(body) !== wanted)
      throw new Error(`with ${name} ${path} returned ${JSON.stringify(body)}`);
    if (status !== 200 && status < 500) throw new Error(`with ${name} ${path} returned ${status}`);
  }
  if (statuses.size === 1 && statuses.has(200)) return 'unharmed';
  if (!/SQLITE_CORRUPT|SQLITE_NOTADB|malformed/.test(node.output))
    throw new Error(`with ${name} the log does not mention the damage`);
  return 'failed';
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}

/** Damages the write-ahead log of a killed node. Rejects if a write before the damage is missing, or one is partial. */
export async function damageLog(rounds: number, random: Random): Promise<string> {
  const folder = temporaryFolder();
  const whole = join(folder, 'killed');
  await prepare(whole, { demo: 'user' });
  const node = await NodeProcess.start(whole);
  const token = await node.login('demo');
  const log = (data: string) => `${store(data)}-wal`;
  const ends: number[] = []; // size of the log when each write was acknowledged
  for (let i = 0; i < FAVORITES; i += 1) {
    await node.ask('/api/favorites', { method: 'PUT', token, body: { link: `/page-${i}`, title: `${i}` } });
    ends.push(statSync(log(whole)).size);
  }
  await node.end('SIGKILL');
  const kept: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    const data = join(folder, 'damaged');
    rmSync(data, { recursive: true, force: true });
    execFileSync('cp', ['-a', whole, data]); // cpSync of Node.js 24 opens folders to others
    if (!existsSync(log(data))) throw new Error('a killed node left no log');
    const at = Math.floor(((i + random.next()) / rounds) * readFileSync(log(data)).length); // spread over the log
    if (i % 2 === 0) truncateSync(log(data), at);
    else overwrite(log(data), at, random.bytes(1));
    const again = await NodeProcess.start(data);
    const { status, body } = await again.ask<{ link: string; title: string }[]>('/api/favorites', { token });
    if (status === 200 && body.some(({ link, title }, n) => link !== `/page-${n}` || title !== `${n}`))
      throw new Error(`a damaged log was read as ${JSON.stringify(body)}`);
    if (status !== 200 && status !== 401) throw new Error(`with a damaged log the node returned ${status}`);
    const count = status === 200 ? body.length : 0;
    const before = ends.filter((end) => end <= at).length;
    if (count < before)
      throw new Error(`a log damaged at ${at} holds ${count} writes, and ${before} of them had ended before it`);
    kept.push(count);
    await again.end();
  }
  const range = `${Math.min(...kept)} to ${Math.max(...kept)} of ${FAVORITES} writes`;
  return `damaged write-ahead logs: ${rounds}, each kept up to the damage (${range})`;
}
