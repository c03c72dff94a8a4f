import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { DemoPeople, DemoReport } from '../../kernel/contract/points/demo.ts';
import { errorMessage, HttpError } from '../../kernel/errors.ts';
import { PostgresqlClient } from '../../kernel/kit/databases/postgresql/client.ts';
import type { PostgresqlConfig } from './schema.ts';
import { importDatabase, type ImportParts } from './transfers/imports.ts';
import type { Users } from './users/users.ts';

/** Where a packaged server has its socket. */
const SOCKET = '/run/postgresql';
const NAME = 'app';
const CONTENT = `
create table visitors (id int primary key, name text not null, seen_at timestamptz not null);
insert into visitors select n, 'Visitor ' || n, timestamptz '2026-01-01' + n * interval '1 hour' from generate_series(1, 1000) n;
create table orders (id int primary key, visitor int not null references visitors, total numeric(10, 2) not null, note text);
insert into orders select n, 1 + n % 1000, (n * 37 % 9000) / 100.0, repeat(md5(n::text), 20) from generate_series(1, 3000) n;
create view totals as select name, sum(total) as total from visitors join orders on visitor = visitors.id group by name;
`;

/** Returns the demo's settings: without a server in them, that of this host, if this user is a superuser there; otherwise `leftOut` says why not. */
export async function withLocalServer(
  config: PostgresqlConfig,
): Promise<{ readonly config: PostgresqlConfig; readonly leftOut?: string }> {
  if (Object.keys(config.servers).length > 0) return { config };
  const remedy = 'set postgresql.servers to see databases of PostgreSQL';
  if (!existsSync(SOCKET)) return { config, leftOut: `postgresql: no server listens in ${SOCKET} (${remedy})` };
  const server = { host: '', port: 5432, socket: SOCKET, user: userInfo().username, password: '' };
  try {
    const options = { database: 'postgres', connectMs: config.connect_timeout_ms, queryMs: config.query_timeout_ms };
    const sql = 'select 1 from pg_roles where rolname = current_user and rolsuper';
    const login = { ...server, host: SOCKET };
    const rows = await PostgresqlClient.use(login, options, (client) => client.query(sql));
    if (rows.length > 0) return { config: { ...config, servers: { local: server }, default_server: 'local' } };
    return { config, leftOut: `postgresql: ${server.user} is no superuser in ${SOCKET} (${remedy})` };
  } catch (error) {
    return {
      config,
      leftOut: `postgresql: the server in ${SOCKET} refuses ${server.user}: ${errorMessage(error)} (${remedy})`,
    };
  }
}

/** Creates a database and its user for the demo's account, unless an earlier demo has, and drops both with `onClose`. */
export async function createDemoDatabase(
  parts: ImportParts & { readonly users: Users },
  { demo }: DemoPeople,
  onClose: (release: () => Promise<void>) => void,
): Promise<DemoReport> {
  const { servers, items, databases, users } = parts;
  const server = servers.nameFor(demo);
  if (server === undefined) return {};
  const name = `${demo.username}_${NAME}`;
  try {
    if ((await items.find(demo, 'database', name)) === undefined) {
      await databases.create(demo, NAME, '');
      await fill(parts, demo, name);
      await users.create(demo, NAME, '');
      await users.setAccess(demo, name, name, 'owner', '');
    }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { leftOut: [`postgresql: the server ${server} has no ${name}: ${error.message}`] };
  }
  onClose(async () => {
    if ((await items.find(demo, 'database', name)) !== undefined) await databases.drop(demo, name, '');
    if ((await items.find(demo, 'user', name)) !== undefined) await users.drop(demo, name, '');
  });
  return { uses: [`postgresql: the server ${server} with ${name}, see /api/postgresql/databases`] };
}

async function fill(parts: ImportParts, demo: DemoPeople['demo'], database: string): Promise<void> {
  async function* text() {
    yield Buffer.from(CONTENT);
  }
  const body = Object.assign(text(), { sizeBytes: Buffer.byteLength(CONTENT) });
  await importDatabase(parts, demo, { database, body, ip: '', signal: new AbortController().signal });
}
