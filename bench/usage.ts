/**
 * What watching the machine costs: `npm run build && node dist/bench/usage.js` (`… usage.js quick` for a look). Ratios
 * are to something measured in the same run, on the same machine; bench/README.md keeps them.
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeLoad, interleaved, load, median, percentile, type Load } from './support/load.ts';
import { residentMib } from './support/memory.ts';
import {
  coreOf,
  machineText,
  startBare,
  startHostkeep,
  temporaryFolder,
  tokenFor,
  type Running,
} from './support/processes.ts';

const CPU = '/api/usage/cpu';
const isQuick = process.argv.includes('quick');
const running: Running[] = [];

function report(figure: string, value: number, bound: string): void {
  console.log(`  ${figure.padEnd(64)} ${value.toFixed(2).padStart(7)}   (wanted: ${bound})`);
}

async function polls(server: Running, token: string): Promise<void> {
  const body = await (await fetch(server.adminUrl + CPU, { headers: { authorization: `Bearer ${token}` } })).text();
  const bare = await startBare(CPU, token, body);
  running.push(bare);
  const targets = [
    { name: 'bare uWS', url: bare.url + CPU, token, pid: bare.child.pid },
    { name: 'Hostkeep', url: server.adminUrl + CPU, token, pid: server.child.pid },
  ] as const;
  const results = await interleaved(targets, isQuick ? { rounds: 1, seconds: 2 } : {});
  console.log(`\nGET ${CPU} (${body.length} bytes)`);
  for (const [name, result] of results) console.log(`  ${describeLoad(name, result)}`);
  const rate = (name: string) => results.get(name)?.requestsPerSecond ?? Number.NaN;
  report('polls: Hostkeep / bare uWS', rate('Hostkeep') / rate('bare uWS'), '≥ 0.90');

  const ratios: number[] = [];
  for (let round = 0; round < (isQuick ? 1 : 5); round += 1) {
    const runs: Load[] = [];
    for (const target of targets) runs.push(await load(target, { connections: 1000, seconds: isQuick ? 2 : 4 }));
    for (const [i, result] of runs.entries())
      console.log(`  ${describeLoad(`${targets[i]?.name} at 1,000 connections`, result)}`);
    ratios.push((runs[1]?.p99Ms ?? Number.NaN) / (runs[0]?.p99Ms ?? Number.NaN));
  }
  report('p99 at 1,000 connections: Hostkeep / bare uWS', median(ratios), '≤ 2');
}

async function samplesTaken(server: Running, token: string): Promise<number> {
  const text = await (
    await fetch(`${server.adminUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  ).text();
  return Number(/^hostkeep_usage_samples_total (\d+)/m.exec(text)?.[1]);
}

/** How many samples are taken in a span while something goes on; to ask takes one itself where the sampler rests. */
async function samplesWhile(server: Running, token: string, during: () => Promise<unknown>): Promise<number> {
  const before = await samplesTaken(server, token);
  await during();
  return (await samplesTaken(server, token)) - before;
}

async function readsOfTheHost(server: Running, token: string): Promise<void> {
  const seconds = isQuick ? 4 : 20;
  const target = { name: 'polls', url: server.adminUrl + CPU, token };
  let polled = 0;
  const one = async () => {
    for (let i = 0; i < seconds; i += 1) {
      await (await fetch(target.url, { headers: { authorization: `Bearer ${token}` } })).arrayBuffer();
      await sleep(1000);
    }
  };
  await one();
  const few = await samplesWhile(server, token, one);
  const many = await samplesWhile(
    server,
    token,
    async () => (polled = (await load(target, { seconds })).requestsPerSecond * seconds),
  );
  console.log(
    `\nSamples of the host in ${seconds} s: ${few} for ${seconds} polls, ${many} for ${Math.round(polled)} polls`,
  );
  report('samples with many polls / with few', many / few, '1');
  if (isQuick) return;
  await sleep(12_000); // it works on for a while when nobody reads any more
  const resting = await samplesWhile(server, token, () => sleep(180_000)); // asking takes one at the end, and the one at the begin stands for its minute
  report('samples in three minutes while nobody reads', resting, '3');
  report('sampler while read / while not, in samples for the same time', few / seconds / (resting / 180), '60');
}

interface Follower {
  readonly delaysMs: number[];
  readonly ids: Set<string>;
  end(): void;
}

async function follow(url: URL, token: string): Promise<Follower> {
  const socket = connect(Number(url.port), url.hostname);
  const follower = { delaysMs: [] as number[], ids: new Set<string>(), end: () => void socket.destroy() };
  let rest = '';
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      const text = rest + chunk.toString('latin1');
      const complete = text.lastIndexOf('\n') + 1;
      rest = text.slice(complete);
      for (const [, id = ''] of text.slice(0, complete).matchAll(/^id: (\d+)$/gm)) {
        follower.ids.add(id);
        follower.delaysMs.push(Date.now() - Number(id));
      }
      resolve();
    });
    socket.write(`GET /api/usage/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  });
  return follower;
}

async function streams(server: Running): Promise<void> {
  const url = new URL(server.adminUrl);
  const before = residentMib(server.child.pid);
  const followers: Follower[] = [];
  for (let i = 0; i < 1000; i += 1) followers.push(await follow(url, tokens[i % tokens.length] ?? ''));
  await sleep(2000);
  for (const follower of followers) {
    follower.ids.clear();
    follower.delaysMs.length = 0;
  }
  await sleep(isQuick ? 5000 : 30_000);
  await sleep(500);
  const after = residentMib(server.child.pid);
  const all = new Set(followers.flatMap(({ ids }) => [...ids]));
  const missed = followers.reduce((sum, { ids }) => sum + (all.size - ids.size), 0);
  const delays = followers.flatMap(({ delaysMs }) => delaysMs);
  console.log(
    `\n1,000 streams, ${all.size} samples each: p50 ${percentile(delays, 0.5)} ms, p99 ${percentile(delays, 0.99)} ms after they were taken`,
  );
  report('samples that a reader missed', missed, '0');
  report('latest arrival, ms', percentile(delays, 1), '≤ 250');
  report('memory more, MiB', after - before, '≤ 60');
  for (const follower of followers) follower.end();
}

console.log(machineText());
const data = temporaryFolder();
const core = await coreOf(data);
/** Tokens of administrators, each of whom may open 20 streams. */
const tokens: string[] = [];
for (let i = 0; i < 50; i += 1)
  tokens.push(
    await tokenFor(core, await core.accounts.create({ username: `bench${i}`, role: 'admin', passwordHash: '' })),
  );
const [token = ''] = tokens;
try {
  const server = await startHostkeep(data);
  running.push(server);
  await streams(server); // first, so that the memory it takes is not what the load left behind
  await polls(server, token);
  await readsOfTheHost(server, token);
} finally {
  for (const server of running) await server.stop();
  await core.close();
}
