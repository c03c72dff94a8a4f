import { fail, unauthenticated } from '../../../errors.ts';
import type { Reader, Tx } from '../../../store/store.ts';
import type { Role } from '../../accounts/account.ts';
import type { SessionKey } from '../session-rows.ts';

/** A token, as its owner sees it. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  /** `<area>:read` and `<area>:write`, sorted. */
  readonly scopes: readonly string[];
  /** CIDR ranges; empty for any address. */
  readonly networks: readonly string[];
  /** Milliseconds since 1970, as are the other times. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** To the minute; `undefined` before the first use. */
  readonly lastUsedAt: number | undefined;
  /** The client's address then. */
  readonly lastUsedFrom: string;
}

interface Row {
  id: string;
  account_id: number;
  role: Role;
  name: string;
  networks: string;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  last_used_from: string;
  scopes: string | null;
}

export interface StoredToken extends ApiToken {
  readonly accountId: number;
  readonly role: Role;
}

/** The most tokens of an account that have not expired. */
export const MAX_TOKENS = 50;
const SELECT = `select t.id, t.account_id, role, t.name, t.networks, t.created_at, t.expires_at, t.last_used_at,
    t.last_used_from, (select string_agg(area || ':' || access, ' ' order by area, access) from api_token_scopes where token_id = t.id) as scopes
  from api_tokens t join accounts on accounts.id = t.account_id`;

/** Resolves with the token of a hash or an id; `undefined` if there is none that counts now. */
export async function readToken(reader: Reader, by: 'hash' | 'id', value: string): Promise<StoredToken | undefined> {
  const row = await reader.get<Row>(
    `${SELECT} where t.${by} = ? and t.expires_at > ? and suspended_at is null`,
    value,
    Date.now(),
  );
  return row && tokenOf(row);
}

/** Resolves with the tokens of an account that have not expired, newest first. */
export async function readTokens(reader: Reader, accountId: number): Promise<ApiToken[]> {
  const rows = await reader.all<Row>(
    `${SELECT} where t.account_id = ? and t.expires_at > ? order by t.created_at desc, t.id desc`,
    accountId,
    Date.now(),
  );
  return rows.map(tokenOf);
}

/** Errors: 409 `tokens_full`. */
export async function addToken(
  tx: Tx,
  accountId: number,
  hash: string,
  { id, name, scopes, networks, createdAt, expiresAt }: ApiToken,
): Promise<void> {
  const live = 'select count(*) as n from api_tokens where account_id = ? and expires_at > ?';
  const { n } = (await tx.get<{ n: number }>(live, accountId, createdAt)) ?? { n: 0 };
  if (n >= MAX_TOKENS) throw fail.tokens_full(`an account can have at most ${MAX_TOKENS} API tokens`);
  await tx.run(
    `insert into api_tokens (id, account_id, hash, name, networks, created_at, expires_at)
      values (?, ?, ?, ?, ?, ?, ?)`,
    id,
    accountId,
    hash,
    name,
    networks.join(' '),
    createdAt,
    expiresAt,
  );
  for (const scope of scopes) await tx.run('insert into api_token_scopes values (?, ?, ?)', id, ...partsOf(scope));
}

/** Rejects unless the token still counts. Errors: 401 `authentication_required`. */
export async function assertTokenAlive(reader: Reader, { id, accountId }: SessionKey): Promise<void> {
  const token = await readToken(reader, 'id', id);
  if (token?.accountId !== accountId) throw unauthenticated();
}

function tokenOf(row: Row): StoredToken {
  return {
    id: row.id,
    accountId: row.account_id,
    role: row.role,
    name: row.name,
    scopes: wordsOf(row.scopes ?? '').toSorted(),
    networks: wordsOf(row.networks),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at ?? undefined,
    lastUsedFrom: row.last_used_from,
  };
}

function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

/** Returns area and access of a scope. */
function partsOf(scope: string): [area: string, access: string] {
  const colon = scope.lastIndexOf(':');
  return [scope.slice(0, colon), scope.slice(colon + 1)];
}
