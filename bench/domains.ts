/**
 * What domains cost: `npm run build && node dist/bench/domains.js`. Reads against a bare handler that writes the same
 * bytes, and a domain added against a bare durable insert into the same file, all turn by turn.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { open } from 'sqlite';
import sqlite3 from 'sqlite3';
import { describeLoad, interleaved, loadTool, median } from './support/load.ts';
import { coreOf, machineText, startBare, startHostkeep, temporaryFolder, tokenFor, type Running } from './support/processes.ts';

const PATHS = ['/api/domains', '/api/docker_domains', '/api/dashboard'];
const DOMAINS = 10;
const ADDED = 300;

/** Adds a domain over a connection that stays open. By plain socket, because `fetch` takes longer itself than what is measured. */
async function add(socket: Socket, token: string, name: string): Promise<void> {
  const body = JSON.stringify({ domain_url: name });
  socket.write(`POST /api/domains/new HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const [reply] = (await once(socket, 'data')) as [Buffer]; // a reply this small is one packet
  if (!reply.includes('HTTP/1.1 201')) throw new Error(`adding ${name} answered ${reply.toString()}`);
}

async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  return socket;
}

async function reads(server: Running, token: string): Promise<void> {
  const bares = await Promise.all(PATHS.map(async (path) => {
    const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
    return startBare(path, token, await response.text());
  }));
  const targets = PATHS.flatMap((path, i) => [{ name: `bare ${path}`, url: (bares[i]?.url ?? '') + path, token }, { name: `Hostkeep ${path}`, url: server.url + path, token }]);
  const results = await interleaved(targets, { rounds: 3, seconds: 1 });
  for (const [name, result] of results) console.log(`  ${describeLoad(name, result)}`);
  for (const path of PATHS) console.log(`  ${path}: Hostkeep / bare ${((results.get(`Hostkeep ${path}`)?.requestsPerSecond ?? 0) / (results.get(`bare ${path}`)?.requestsPerSecond ?? 0)).toFixed(2)}`);
  for (const bare of bares) await bare.stop();
}

async function additions(socket: Socket, data: string, token: string): Promise<void> {
  const database = await open({ filename: join(data, 'hostkeep.db'), driver: sqlite3.Database });
  await database.exec('pragma synchronous=full; pragma busy_timeout=5000; create table bench_rows (id integer primary key, text text not null unique)');
  const insert = await database.prepare('insert into bench_rows (text) values (?)');
  const [api, bare]: [number[], number[]] = [[], []];
  for (let i = 0; i < ADDED; i += 1) {
    const started = performance.now();
    await add(socket, token, `added-${i}.example`);
    const inserting = performance.now();
    await insert.run(`row ${i}`);
    api.push(inserting - started);
    bare.push(performance.now() - inserting);
  }
  await insert.finalize();
  await database.close();
  socket.destroy();
  console.log(`  domain added p50 ${median(api).toFixed(2)} ms, bare durable insert p50 ${median(bare).toFixed(2)} ms, ratio ${(median(api) / median(bare)).toFixed(2)}`);
}

console.log(`Domains bench with ${loadTool}: ${machineText()}`);
const data = temporaryFolder();
const core = await coreOf(data);
const token = await tokenFor(core, await core.accounts.create({ username: 'bench', role: 'user', plan: 'developer', passwordHash: '' }));
const server = await startHostkeep(data);
const socket = await connected(server.url);
for (let i = 0; i < DOMAINS; i += 1) await add(socket, token, `site-${i}.example`);
await reads(server, token);
await additions(await connected(server.url), data, token); // the first connection was idle for too long
await server.stop();
await core.close();
