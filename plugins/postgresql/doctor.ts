import { errorMessage, failureText } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { AccountServers } from './server/account-servers.ts';
import type { ServerConnections } from '../../kernel/kit/databases/postgresql/roles.ts';

/** Older servers let everybody make tables in each database. */
const OLDEST_VERSION = 150_000;

/** Whether each server answers. */
export const health = (servers: AccountServers): Promise<Finding[]> =>
  askEach(
    servers,
    async ({ main }) => {
      await main.query('select 1');
      return { ok: true, detail: 'answers' };
    },
    (_, error) => ({ ok: false, detail: failureText('gives no answer', error) }),
  );

/** Whether each server can be used, and keeps customers out of what is not theirs. */
export const findings = (servers: AccountServers): Promise<Finding[]> =>
  askEach(servers, examine, (server, error) => ({
    ...{ ok: false, detail: errorMessage(error), remedy: `check postgresql.servers.${server}` },
  }));

type Answer = Omit<Finding, 'name'>;

function askEach(
  servers: AccountServers,
  ask: (server: ServerConnections) => Promise<Answer>,
  failed: (server: string, error: unknown) => Answer,
): Promise<Finding[]> {
  return Promise.all(
    servers.names.map(async (server) => {
      const answer = await servers.open(server, ask).catch((error: unknown) => failed(server, error));
      return { name: `PostgreSQL server ${server}`, ...answer };
    }),
  );
}

async function examine({ main }: ServerConnections): Promise<Answer> {
  const [about] = await main.query<{ version: string; number: number; isSuper: boolean }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      rolsuper as "isSuper" from pg_roles where rolname = current_user`,
  );
  const { version = '?', number = 0, isSuper = false } = about ?? {};
  if (number < OLDEST_VERSION) return { ok: false, detail: `version ${version}`, remedy: 'use PostgreSQL 15 or later' };
  if (!isSuper) return { ok: false, detail: 'the login is no superuser', remedy: 'name a superuser in the settings' };
  const open = await main.query<{ name: string }>(
    `select datname as name from pg_database d where datallowconn
      and exists (select 1 from aclexplode(coalesce(datacl, acldefault('d', datdba))) where grantee = 0 and privilege_type = 'CONNECT')
      order by datname`,
  );
  const detail = `version ${version}`;
  if (open.length === 0) return { ok: true, detail };
  const names = open.map((each) => each.name);
  return {
    ok: false,
    detail: `${detail}; customers' users can connect to ${names.join(', ')}, though to no table there`,
    remedy: `revoke connect on database ${names.join(', ')} from public`,
  };
}
