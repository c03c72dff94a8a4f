/**
 * What asking for the sizes of databases costs: `npm run build && node dist/bench/databases.js [databases]`.
 * A MariaDB of its own with 2,000 databases of 10 tables, unless told otherwise, is filled first, which takes a minute.
 */
import { MariaDb } from '../test/support/mariadb.ts';
import { describeLoad, interleaved, load, type Target } from './support/load.ts';
import {
  coreOf,
  machineText,
  startBare,
  startHostkeep,
  temporaryFolder,
  tokenFor,
  type Running,
} from './support/processes.ts';

const PATH = '/api/mysql-size';
const TABLES = 10;
const SMALL = 100;
const databases = Number(process.argv[2] ?? 2000);
const running: Running[] = [];

async function fill(mariaDb: MariaDb): Promise<void> {
  const names = Array.from({ length: databases }, (_, i) => `${i < SMALL ? 'small' : 'large'}_database${i}`);
  const tables = (name: string) =>
    Array.from(
      { length: TABLES },
      (_, i) => `create table ${name}.t${i} (id int primary key, body varchar(100));`,
    ).join('\n');
  await mariaDb.sql(names.map((name) => `create database ${name};\n${tables(name)}`).join('\n'));
}

async function selects(mariaDb: MariaDb): Promise<number> {
  return Number((await mariaDb.sql("show global status like 'Com_select'")).split('\t')[1]);
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

async function read(server: Running, token: string): Promise<string> {
  const response = await fetch(server.url + PATH, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) throw new Error(`${PATH} answered ${response.status}`);
  return response.text();
}

async function warmReads(server: Running, username: string, token: string, body: string): Promise<void> {
  const bare = await startBare(PATH, token, body);
  running.push(bare);
  const targets: Target[] = [
    { name: `bare handler, ${body.length} bytes`, url: bare.url + PATH, token, pid: bare.child.pid },
    { name: `${PATH} of ${username}`, url: server.url + PATH, token, pid: server.child.pid },
  ];
  const results = await interleaved(targets);
  for (const [name, result] of results) console.log(`  ${describeLoad(name, result)}`);
  const [bareLoad, ours] = [...results.values()];
  console.log(
    `  a warm read costs ${((bareLoad?.requestsPerSecond ?? 0) / (ours?.requestsPerSecond ?? 1)).toFixed(2)} times a bare one of as many bytes   (wanted: at most 1.5)`,
  );
}

async function main(mariaDb: MariaDb): Promise<void> {
  console.log(`${machineText()}; filling MariaDB with ${databases} databases of ${TABLES} tables`);
  await fill(mariaDb);
  const data = temporaryFolder();
  const core = await coreOf(data);
  const passwordHash = await core.passwords.hash('correct horse battery staple');
  const server = await startHostkeep(data, {
    databases: { servers: { main: { socket: mariaDb.socket, user: 'root' } }, default_server: 'main' },
  });
  running.push(server);
  const tokens: [string, string][] = [];
  for (const username of ['small', 'large']) {
    tokens.push([
      username,
      await tokenFor(core, await core.accounts.create({ username, role: 'user', plan: 'developer', passwordHash })),
    ]);
  }
  const [, [, large] = ['', '']] = tokens;
  const cold = await timed(() => read(server, large));
  console.log(`  first answer, the server asked for all databases: ${cold.ms.toFixed(0)} ms`);
  for (const [username, token] of tokens) await warmReads(server, username, token, await read(server, token));
  const before = await selects(mariaDb);
  const { ms, value } = await timed(() =>
    load({ name: 'many', url: server.url + PATH, token: tokens[0]?.[1] ?? '' }, { seconds: 10 }),
  );
  const statements = (await selects(mariaDb)) - before;
  console.log(
    `  ${Math.round(value.requestsPerSecond * (ms / 1000))} requests in ${(ms / 1000).toFixed(1)} s led to ${statements} statements on the server, ${((statements * 3) / (ms / 1000)).toFixed(1)} in 3 s   (wanted: one in 3 s; those for mysql and sys come once a minute)`,
  );
  await core.close();
}

const mariaDb = await MariaDb.start();
try {
  await main(mariaDb);
} finally {
  for (const server of running) await server.stop();
  await mariaDb.remove();
}
