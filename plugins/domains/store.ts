import { isRunning } from '../../kernel/kit/programs/process-id.ts';
import type { Reader, Tx } from '../../kernel/store/store.ts';
import { ALL_NAMES, readAliases } from './names/alias-store.ts';
import { parentNames, reversedName } from './names/name.ts';

export interface DomainRow {
  readonly id: number;
  readonly account_id: number;
  readonly name: string;
  /** Components below the files root, joined by `/`. */
  readonly docroot: string;
  readonly created_at: number;
  /** Since when its owner has it suspended, in milliseconds since 1970; `null` if not. */
  readonly suspended_at: number | null;
  /** The same for an operator, whose suspension no owner lifts. */
  readonly held_at: number | null;
  /** The name as its owner writes it; empty for as it is. */
  readonly shown_as: string;
}
/** A domain with its further names, sorted. */
export interface ListedRow extends DomainRow {
  readonly aliases: readonly string[];
}
export type DomainState = 'active' | 'adding' | 'removing';

export interface DomainRowInState extends DomainRow {
  readonly state: DomainState;
}

interface NewDomainRow extends Omit<DomainRow, 'id' | 'held_at' | 'shown_as'> {
  readonly state: DomainState;
  readonly claimed_by: string;
}

/** Whether a new name can be added, and how it would count. */
export interface NameStatus {
  /** Any account has the name, or another account has a parent domain or a subdomain of it. */
  readonly taken: boolean;
  /** The account has it itself. */
  readonly isOwn: boolean;
  /**
   * It is a subdomain of an active domain of the account, and so does not count. A parent that is being added or removed
   * may be gone in a moment.
   */
  readonly isSub: boolean;
  /** All names of the account, aliases and those being added or removed included. */
  readonly names: number;
  /** Domains of the account that count, those being added or removed included; 0 only if the account has no domain. */
  readonly mains: number;
  /** Main domains that are subdomains of the name, and no longer count once it is active. */
  readonly mainsBelow: number;
}

const COLUMNS = 'id, account_id, name, docroot, created_at, suspended_at, held_at, shown_as';
const PAGE = 1000;

/** Returns rows with their aliases; `tail` is what follows `from domains` in the query. */
async function readRows(reader: Reader, tail: string, ...params: (string | number)[]): Promise<ListedRow[]> {
  const rows = await reader.all<DomainRow>(`select ${COLUMNS} from domains ${tail}`, ...params);
  const aliases = await readAliases(
    reader,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, aliases: aliases.get(row.id) ?? [] }));
}

/** Returns the range of all subdomains of a name, because `/` is the character after `.`. */
function rangeBelow(name: string): [string, string] {
  const reversed = reversedName(name);
  return [`${reversed}.`, `${reversed}/`];
}

/** A single statement, because each is a round trip to another thread. Names being added or removed are taken. */
export async function nameStatus(reader: Reader, accountId: number, name: string): Promise<NameStatus> {
  const above = JSON.stringify(parentNames(name));
  const row = await reader.get<{
    taken: number;
    is_own: number;
    is_sub: number;
    names: number;
    mains: number;
    mains_below: number;
  }>(
    `select
      cast(exists (select 1 from ${ALL_NAMES} as n where name = ?2)
        or exists (select 1 from ${ALL_NAMES} as n where name in (select value from json_each(?3)) and account_id <> ?1)
        or exists (select 1 from ${ALL_NAMES} as n where reversed > ?4 and reversed < ?5 and account_id <> ?1)
        as integer) as taken,
      cast(exists (select 1 from ${ALL_NAMES} as n where name = ?2 and account_id = ?1) as integer) as is_own,
      cast(exists (select 1 from domains where name in (select value from json_each(?3)) and account_id = ?1
        and state = 'active') as integer) as is_sub,
      (select count(*) from ${ALL_NAMES} as n where account_id = ?1) as names,
      (select count(*) from domains where account_id = ?1 and is_main = 1) as mains,
      (select count(*) from domains
        where reversed > ?4 and reversed < ?5 and account_id = ?1 and is_main = 1) as mains_below`,
    accountId,
    name,
    above,
    ...rangeBelow(name),
  );
  const {
    taken = 0,
    is_own: isOwn = 0,
    is_sub: isSub = 0,
    names = 0,
    mains = 0,
    mains_below: mainsBelow = 0,
  } = row ?? {};
  return { taken: taken === 1, isOwn: isOwn === 1, isSub: isSub === 1, names, mains, mainsBelow };
}

/** Resolves with the new id; `status` must come from the same transaction. */
export async function insert(tx: Tx, row: NewDomainRow, { isSub }: NameStatus): Promise<number> {
  const { account_id, name, docroot, state, claimed_by, created_at, suspended_at } = row;
  const id = await tx.insert(
    `insert into domains (account_id, name, reversed, docroot, is_main, state, claimed_by, created_at, suspended_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    account_id,
    name,
    reversedName(name),
    docroot,
    isSub ? 0 : 1,
    state,
    claimed_by,
    created_at,
    suspended_at,
  );
  if (state === 'active') await countNoneBelow(tx, row);
  return id;
}

/** Claims an active row for its removal by a process. */
export async function claimForRemoval(tx: Tx, id: number, claim: string): Promise<void> {
  await tx.run("update domains set state = 'removing', claimed_by = ? where id = ? and state = 'active'", claim, id);
}

/**
 * Makes a row active, from when on its subdomains do not count. Resolves with `false` when it is deleted or in another
 * state.
 */
export async function activate(tx: Tx, row: DomainRow, from: DomainState): Promise<boolean> {
  const { changes } = await tx.run(
    "update domains set state = 'active', claimed_by = '' where id = ? and state = ?",
    row.id,
    from,
  );
  if (changes === 1) await countNoneBelow(tx, row);
  return changes === 1;
}

/** Writes what can change of an active row. Resolves with `false` when it is no longer there. */
export async function update(tx: Tx, { id, docroot, suspended_at, held_at, shown_as }: DomainRow): Promise<boolean> {
  const { changes } = await tx.run(
    "update domains set docroot = ?, suspended_at = ?, held_at = ?, shown_as = ? where id = ? and state = 'active'",
    docroot,
    suspended_at,
    held_at,
    shown_as,
    id,
  );
  return changes === 1;
}

/** Resolves with how some domains are served, by their ids. */
export async function servedRows(reader: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, ListedRow>> {
  const rows = await readRows(
    reader,
    'where id in (select cast(value as bigint) from json_each(?))',
    JSON.stringify(ids),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function countNoneBelow(tx: Tx, { account_id, name }: Pick<DomainRow, 'account_id' | 'name'>): Promise<void> {
  await tx.run(
    'update domains set is_main = 0 where reversed > ? and reversed < ? and account_id = ? and is_main = 1',
    ...rangeBelow(name),
    account_id,
  );
}

/** Returns the subdomains of a domain in its account, deepest first. */
export function readSubdomains(reader: Reader, { account_id, name }: DomainRow): Promise<DomainRowInState[]> {
  return reader.all<DomainRowInState>(
    `select ${COLUMNS}, state from domains where reversed > ? and reversed < ? and account_id = ? order by reversed desc`,
    ...rangeBelow(name),
    account_id,
  );
}

/** Deletes a row; those of its subdomains that have no other active parent in the account become main domains. */
export async function remove(tx: Tx, row: DomainRow, from: DomainState): Promise<boolean> {
  const { changes } = await tx.run('delete from domains where id = ? and state = ?', row.id, from);
  if (changes === 0) return false;
  const below = await readSubdomains(tx, row);
  if (below.length === 0 || (await nameStatus(tx, row.account_id, row.name)).isSub) return true;
  const active = new Set(below.filter(({ state }) => state === 'active').map((each) => each.name));
  const mains = below
    .filter((each) => !parentNames(each.name).some((parent) => active.has(parent)))
    .map((each) => each.id);
  await tx.run(
    'update domains set is_main = 1 where id in (select cast(value as bigint) from json_each(?))',
    JSON.stringify(mains),
  );
  return true;
}

/** Counts as limits do, by the account's id: all names, and those that count as domains. Names being added or removed are counted. */
export async function countDomains(
  reader: Reader,
  accountIds: readonly number[],
): Promise<Map<number, { readonly names: number; readonly mains: number }>> {
  const rows = await reader.all<{ id: number; names: number; mains: number }>(
    `select id, (select count(*) from domains where account_id = listed.id)
          + (select count(*) from domain_aliases where account_id = listed.id) as names,
        (select count(*) from domains where account_id = listed.id and is_main = 1) as mains
      from (select cast(value as bigint) as id from json_each(?)) as listed`,
    JSON.stringify(accountIds),
  );
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Returns the active domains of an account by name. */
export function listDomains(reader: Reader, accountId: number): Promise<ListedRow[]> {
  return readRows(reader, "where account_id = ? and state = 'active' order by name", accountId);
}

/** Returns active domains of all accounts by name, with a part of it in theirs or an alias, and after a name. */
export function findByPart(reader: Reader, part: string, after: string, limit: number): Promise<ListedRow[]> {
  return readRows(
    reader,
    `where name > ?1 and state = 'active' and (?2 = '' or instr(name, ?2) > 0
      or id in (select domain_id from domain_aliases where instr(name, ?2) > 0)) order by name limit ?3`,
    after,
    part,
    limit,
  );
}

/** Resolves with the active domains of some accounts. */
export function listOfMany(reader: Reader, accountIds: readonly number[]): Promise<ListedRow[]> {
  return readRows(
    reader,
    `where state = 'active' and account_id in (select cast(value as bigint) from json_each(?))
      order by account_id, name`,
    JSON.stringify(accountIds),
  );
}

/** Resolves with the number of the active domains of some accounts. */
export async function countOfMany(reader: Reader, accountIds: readonly number[]): Promise<number> {
  const row = await reader.get<{ n: number }>(
    `select count(*) as n from domains where state = 'active' and
      account_id in (select cast(value as bigint) from json_each(?))`,
    JSON.stringify(accountIds),
  );
  return row?.n ?? 0;
}

export async function find(reader: Reader, name: string): Promise<ListedRow | undefined> {
  return (await readRows(reader, "where name = ? and state = 'active'", name))[0];
}

export async function* pages(reader: Reader): AsyncGenerator<ListedRow[]> {
  for (let last = 0; ;) {
    const rows = await readRows(reader, `where id > ? and state = 'active' order by id limit ${PAGE}`, last);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.id ?? last;
  }
}

export async function count(reader: Reader): Promise<number> {
  const row = await reader.get<{ n: number }>(
    "select (select count(*) from domains) - (select count(*) from domains where state <> 'active') as n",
  );
  return row?.n ?? 0;
}

/** Returns the rows that no process will complete, because the one that claimed them has ended. */
export async function interruptedRows(reader: Reader): Promise<DomainRowInState[]> {
  const pending = await reader.all<DomainRowInState & { claimed_by: string }>(
    `select ${COLUMNS}, state, claimed_by from domains where state <> 'active'`,
  );
  return pending.filter((row) => !isRunning(row.claimed_by));
}
