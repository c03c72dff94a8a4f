/**
 * Whether what is asked takes longer in a store of the largest size: `npm run build && node dist/bench/sizes.js postgres|sqlite
 * [accounts] [sessions] [events]`. Lists, the gate and logins of a node on a full store are asked in turn with those of a node on
 * a small one; the figures are medians. Then what the store weighs, and how fast old events and sessions are removed.
 */
import { execFileSync } from 'node:child_process';
import { createSecretKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose/jwt/sign';
import { openCore, type Core } from '../kernel/run/core.ts';
import { checkConfig } from '../kernel/config/configuration.ts';
import { createLog } from '../kernel/log.ts';
import type { Store } from '../kernel/store/store.ts';
import { Postgres, schemaAt } from '../test/support/postgres.ts';
import { median } from './support/load.ts';
import { benchSettings, machineText, startHostkeep, temporaryFolder, type Running } from './support/processes.ts';

const [ENGINE = 'postgres', ...sizes] = process.argv.slice(2);
const [ACCOUNTS = 100_000, SESSIONS = 1_000_000, EVENTS = 10_000_000] = sizes.map(Number);
/** With as many sessions and events of an account as the full one. */
const SMALL = { accounts: 600, sessions: 6000, events: 60_000 };
/** Each answer is asked so often, in turn. */
const ROUNDS = 200;
const DAY_MS = 86_400_000;

interface Size {
  readonly accounts: number;
  readonly sessions: number;
  readonly events: number;
}

interface Node {
  readonly core: Core;
  readonly server: Running;
  readonly admin: string;
  /** An `Authorization` header of a session that nobody has shown yet. */
  fresh(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Fills a store where its rows are, not by the store, whose statements have a time limit, and makes the indexes of the large tables
 * afterwards, which is faster. Sessions end in the order of their numbers.
 */
async function fill(
  store: Store,
  url: string | undefined,
  { accounts, sessions, events }: Size,
  now: number,
): Promise<void> {
  const numbers = (count: number) =>
    url === undefined
      ? `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as n`
      : `generate_series(1, ${count}) as n (i)`;
  const line = "'[2026-11-22 12:00:00] User logged in from IP 192.0.2.1 number ' || i";
  const indexes = await store.all<{ name: string; sql: string }>(
    url === undefined
      ? "select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name in ('sessions', 'events')"
      : `select indexname as name, indexdef as sql from pg_indexes where schemaname = current_schema()
          and tablename in ('sessions', 'events') and indexname not like '%pkey'`,
  );
  const statements = [
    ...indexes.map(({ name }) => `drop index ${name}`),
    `insert into accounts (username, role, email, password_hash, plan, created_at)
      select 'user' || i, 'user', 'user' || i || '@example.com', 'x', 'developer', ${now} - i * 1000 from ${numbers(accounts)}`,
    `insert into sessions (id, account_id, created_at, expires_at, ip, user_agent)
      select 'session' || i, 1 + i % ${accounts}, ${now} + i, ${now + DAY_MS} + i, '192.0.2.1', 'bench' from ${numbers(sessions)}`,
    `insert into events (at, type, account_id, username, ip, line, folded, data)
      select ${now - events} + i, 'login', 1 + i % ${accounts}, 'user' || (1 + i % ${accounts}), '192.0.2.1', ${line}, lower(${line}), '{}'
      from ${numbers(events)}`,
    ...indexes.map(({ sql }) => sql),
    ...(url === undefined ? ['pragma wal_checkpoint(truncate)'] : ['vacuum analyze', 'checkpoint']),
  ];
  const psql = ['--quiet', '--no-psqlrc', '--set=ON_ERROR_STOP=1', url ?? ''];
  if (url !== undefined) for (const sql of statements) execFileSync('psql', [...psql, '--command', sql]);
  else {
    const input = ['pragma synchronous = off', 'pragma cache_size = -1000000', ...statements].map((sql) => `${sql};\n`);
    execFileSync('sqlite3', ['-bail', store.place], { input: input.join('') });
  }
}

async function nodeOf(postgres: Postgres | undefined, name: string, size: Size): Promise<Node> {
  const data = temporaryFolder();
  const url = postgres && schemaAt(postgres.url, name);
  const settings = { ...(url !== undefined && { store: { url } }), plugins: { usage: true } };
  const config = checkConfig(benchSettings(data, settings), () => 'bench');
  const core = await openCore(config, createLog('error'));
  const now = Date.now();
  const { accounts } = size;
  await fill(core.store, url, size, now);
  const passwordHash = 'x';
  const root = await core.accounts.create({ username: 'root', role: 'admin', passwordHash });
  const admin = (await core.sessions.open(root, '127.0.0.1', 'bench', async () => {})).token;
  const server = await startHostkeep(data, settings);
  const { signing } = JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')) as {
    signing: readonly { kid: string; secret: string }[];
  };
  const [key] = signing;
  if (key === undefined) throw new Error('there is no key');
  let next = 0;
  const fresh = async () => {
    next += 1;
    const seconds = Math.floor(now / 1000);
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: key.kid })
      .setIssuer('hostkeep')
      .setSubject(String(1 + (next % accounts)))
      .setAudience('user')
      .setJti(`session${next}`)
      .setIssuedAt(seconds)
      .setNotBefore(seconds)
      .setExpirationTime(seconds + DAY_MS / 1000)
      .sign(createSecretKey(Buffer.from(key.secret, 'base64url')));
    return `Bearer ${token}`;
  };
  const stop = async () => {
    await server.stop();
    await core.close();
  };
  return { core, server, admin: `Bearer ${admin}`, fresh, stop };
}

/** Sends a request, and resolves with the milliseconds until all of the answer is there. */
async function timed(url: string, authorization: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { headers: { authorization } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${body.slice(0, 300)}`);
  return performance.now() - started;
}

const ofAdmin = (path: string) => (node: Node) => timed(node.server.adminUrl + path, node.admin);

const QUESTIONS: Readonly<Record<string, (node: Node) => Promise<number>>> = {
  'the gate, for a session and an account that are not remembered': async (node) =>
    timed(`${node.server.url}/system/hosting/plan`, await node.fresh()),
  'a login without the password': async ({ core }) => {
    const account = await core.accounts.get('user7');
    const started = performance.now();
    await core.sessions.open(account, '127.0.0.1', randomUUID(), async () => {});
    return performance.now() - started;
  },
  'accounts, by name': ofAdmin('/api/accounts'),
  'accounts, newest first': ofAdmin('/api/accounts?sort=-created'),
  'accounts, a search': ofAdmin('/api/accounts?q=user59'),
  'events, newest': ofAdmin('/api/events'),
  'events of an account': ofAdmin('/api/events?account=user7'),
  'events of a type': ofAdmin('/api/events?type=account.*'),
  'activity of an account': ofAdmin('/api/accounts/user7/activity'),
  'sessions of all accounts': ofAdmin('/api/sessions'),
  'sessions of an account': ofAdmin('/api/accounts/user7/sessions'),
  'plans, with their accounts': ofAdmin('/api/plans'),
  'usage of accounts': ofAdmin('/api/usage/accounts'),
};

/** Prints what the store weighs, and how long a node takes to remove a tenth of the events, and of the sessions. */
async function weigh({ core: { events, store, sweeper } }: Node): Promise<void> {
  console.log(`  the store has ${((await store.sizeBytes()) / 2 ** 20).toFixed(0)} MiB`);
  const oldest = await store.get<{ at: number }>("select at from events where type = 'login' order by id limit 1");
  let started = performance.now();
  const rate = (rows: number) => `${Math.round(rows / ((performance.now() - started) / 1000))} a second`;
  const removed = await events.removeBefore((oldest?.at ?? 0) + EVENTS / 10);
  console.log(`  ${removed} events removed, ${rate(removed)}`);
  const sql = 'update sessions set expires_at = 1 where id in (select id from sessions order by expires_at limit ?)';
  const ended = await store.write((tx) => tx.run(sql, SESSIONS / 10));
  started = performance.now();
  await sweeper.sweep();
  console.log(`  ${ended.changes} sessions removed, ${rate(ended.changes)}`);
}

const postgres =
  ENGINE === 'sqlite'
    ? undefined
    : Postgres.start(['fsync=off', 'shared_buffers=1GB', 'max_wal_size=8GB', 'synchronous_commit=on']);
const nodes: Node[] = [];
try {
  const started = performance.now();
  nodes.push(await nodeOf(postgres, 'empty', SMALL));
  nodes.push(await nodeOf(postgres, 'full', { accounts: ACCOUNTS, sessions: SESSIONS, events: EVENTS }));
  const [empty, full] = nodes as [Node, Node];
  console.log(
    `Sizes in ${ENGINE}: ${ACCOUNTS} accounts, ${SESSIONS} sessions, ${EVENTS} events, made in ${Math.round((performance.now() - started) / 1000)} s; ${machineText()}`,
  );
  for (let round = 0; round < ROUNDS / 10; round += 1)
    for (const ask of Object.values(QUESTIONS)) for (const node of nodes) await ask(node); // warm-up, not counted
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [i, node] of [empty, full].entries()) times[i]?.push(await ask(node));
    const [small, large] = times.map(median) as [number, number];
    console.log(
      `  ${name.padEnd(64)} ${(large / small).toFixed(2).padStart(7)}   (${large.toFixed(2)} / ${small.toFixed(2)} ms)`,
    );
  }
  await weigh(full);
} finally {
  for (const node of nodes) await node.stop();
  postgres?.remove();
}
