/** Adds domains through the API, alternating with bare durable inserts into the same file. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { open } from 'sqlite';
import sqlite3 from 'sqlite3';
import { median } from './load.ts';
import type { Running } from './processes.ts';

const ADDED = 300;
let runs = 0;

/** Adds a domain over an open socket, because `fetch` itself costs more than the measured request. */
async function add(socket: Socket, token: string, name: string): Promise<void> {
  const body = JSON.stringify({ domain_url: name });
  socket.write(
    `POST /api/domains/new HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const [reply] = (await once(socket, 'data')) as [Buffer]; // a reply this small is one packet
  if (!reply.includes('HTTP/1.1 201')) throw new Error(`adding ${name} answered ${reply.toString()}`);
}

async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  return socket;
}

/** Alternates between both, so that disturbances affect both; returns medians in milliseconds. */
export async function additions(
  server: Running,
  data: string,
  token: string,
  count = ADDED,
): Promise<{ apiMs: number; bareMs: number }> {
  const socket = await connected(server.url);
  runs += 1;
  const database = await open({ filename: join(data, 'hostkeep.db'), driver: sqlite3.Database });
  await database.exec(
    'pragma synchronous=full; pragma busy_timeout=5000; create table if not exists bench_rows (id integer primary key, text text not null unique)',
  );
  const insert = await database.prepare('insert into bench_rows (text) values (?)');
  const [api, bare]: [number[], number[]] = [[], []];
  for (let i = 0; i < count; i += 1) {
    const started = performance.now();
    await add(socket, token, `added-${runs}-${i}.example`);
    const inserting = performance.now();
    await insert.run(`row ${runs} ${i}`);
    api.push(inserting - started);
    bare.push(performance.now() - inserting);
  }
  await insert.finalize();
  await database.close();
  socket.destroy();
  return { apiMs: median(api), bareMs: median(bare) };
}
