import type { Reader, Store, Tx } from '../../kernel/store/store.ts';
import type { Load } from '../../kernel/areas/machine.ts';

/** A node of the fleet, as it changes seldom. */
export interface Member {
  readonly name: string;
  /** host:port at which the other nodes reach it. */
  readonly address: string;
  /** See `keyDigestOf`. */
  readonly keyDigest: string;
  readonly isDraining: boolean;
}

/** The identity of a member: its name, and the key that it joined with. */
export type MemberKey = Pick<Member, 'name' | 'keyDigest'>;

export interface Beat {
  readonly version: string;
  /** The number of accounts that live there. */
  readonly accounts: number;
  readonly userUrl: string;
  readonly adminUrl: string;
  readonly sample: Load;
}

/** A member with its last heartbeat, if it ever had one. */
export interface SeenMember extends Member {
  readonly heartbeat: (Beat & { readonly seenSecondsAgo: number }) | undefined;
}

interface Row {
  readonly name: string;
  readonly address: string;
  readonly key_digest: string;
  readonly draining: 0 | 1;
  readonly version: string | null;
  readonly accounts: number;
  readonly user_url: string;
  readonly admin_url: string;
  readonly sample: string;
  readonly ms_ago: number;
}

/** Milliseconds since 1970 by the database's clock, which all nodes share; a fleet's store is always PostgreSQL. */
export const NOW = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';
const HOUR_MS = 3_600_000;

/** Raises the number by which all nodes notice a change; see `changes`. */
export const raise = (tx: Tx): Promise<unknown> => tx.run('update fleet_changes set n = n + 1');

/** Resolves with a number that differs after each change of members and secrets. */
export async function changes(reader: Reader): Promise<number> {
  return (await reader.get<{ n: number }>('select n from fleet_changes'))?.n ?? 0;
}

/** Resolves with the database's time, in milliseconds since 1970. */
export async function databaseNow(reader: Reader): Promise<number> {
  return (await reader.get<{ now: number }>(`select ${NOW} as now`))?.now ?? 0;
}

/** Resolves with how many connections the database has for users without special rights. */
export async function connectionLimit(reader: Reader): Promise<number> {
  const setting = (name: string) => `coalesce(cast(current_setting('${name}', true) as bigint), 0)`;
  const sql = `select ${setting('max_connections')} - ${setting('superuser_reserved_connections')} - ${setting('reserved_connections')} as n`;
  return (await reader.get<{ n: number }>(sql))?.n ?? 0;
}

/** Whether a key is that of one of the members; a node that was removed is none, also if another has its name now. */
export const isMember = (all: readonly Member[], { name, keyDigest }: MemberKey): boolean =>
  all.some((each) => each.name === name && each.keyDigest === keyDigest);

export async function members(reader: Reader): Promise<Member[]> {
  const rows = await reader.all<Row>('select name, address, key_digest, draining from fleet_nodes order by name');
  return rows.map(memberOf);
}

export async function seenMembers(reader: Reader): Promise<SeenMember[]> {
  const rows = await reader.all<Row>(
    `select n.name, address, key_digest, draining, version, accounts, user_url, admin_url, sample, ${NOW} - seen_at as ms_ago
      from fleet_nodes n left join fleet_heartbeats h on h.node = n.name order by n.name`,
  );
  return rows.map((row) => ({
    ...memberOf(row),
    heartbeat: row.version === null ? undefined : { ...heartbeatOf(row), version: row.version },
  }));
}

/**
 * Takes the place of a node of that name that was never seen: the command that added it may have ended before it wrote its
 * files. Rejects if the name is taken otherwise.
 */
export async function addMember(tx: Tx, { name, address, keyDigest }: Member): Promise<void> {
  await tx.run('delete from fleet_nodes where name = ? and name not in (select node from fleet_heartbeats)', name);
  const sql =
    'insert into fleet_nodes (name, address, key_digest, draining, joined_at) values (?, ?, ?, 0, ?) on conflict do nothing';
  const { changes: added } = await tx.run(sql, name, address, keyDigest, Date.now());
  if (added === 0) throw nameTaken(name);
  await raise(tx);
}

export const nameTaken = (name: string): Error =>
  new Error(`there is a node ${name} in the fleet already: choose another name`);

/** Resolves with whether there was one. */
export async function removeMember(tx: Tx, name: string): Promise<boolean> {
  const { changes: removed } = await tx.run('delete from fleet_nodes where name = ?', name);
  await raise(tx);
  return removed > 0;
}

/** Forgets what the nodes of a fleet shared, when its last one leaves. */
export async function forgetFleet(tx: Tx): Promise<void> {
  await tx.run('delete from fleet_secrets');
  await tx.run('delete from fleet_invitations');
}

/** Resolves with whether this changed something. */
export async function setDraining(tx: Tx, name: string, isDraining: boolean): Promise<boolean> {
  const to = isDraining ? 1 : 0;
  const sql = 'update fleet_nodes set draining = ? where name = ? and draining <> ?';
  const { changes: set } = await tx.run(sql, to, name, to);
  await raise(tx);
  return set > 0;
}

/** Writes a node's heartbeat; does nothing for one that is no member. */
export function beat(store: Store, { name, keyDigest }: MemberKey, beat: Beat): Promise<unknown> {
  const { version, accounts, userUrl, adminUrl, sample } = beat;
  return store.write((tx) =>
    tx.run(
      `insert into fleet_heartbeats (node, seen_at, version, accounts, user_url, admin_url, sample)
        select name, ${NOW}, cast(? as text), cast(? as bigint), cast(? as text), cast(? as text), cast(? as text) from fleet_nodes
        where name = ? and key_digest = ?
        on conflict (node) do update set seen_at = excluded.seen_at, version = excluded.version, accounts = excluded.accounts,
          user_url = excluded.user_url, admin_url = excluded.admin_url, sample = excluded.sample`,
      version,
      accounts,
      userUrl,
      adminUrl,
      JSON.stringify(sample),
      name,
      keyDigest,
    ),
  );
}

export async function readSecret(reader: Reader, name: string): Promise<string | undefined> {
  return (await reader.get<{ sealed: string }>('select sealed from fleet_secrets where name = ?', name))?.sealed;
}

export async function writeSecret(tx: Tx, name: string, sealed: string): Promise<void> {
  const sql =
    'insert into fleet_secrets (name, sealed) values (?, ?) on conflict (name) do update set sealed = excluded.sealed';
  await tx.run(sql, name, sealed);
  await raise(tx);
}

export interface StoredInvitation {
  readonly sealed: string;
  /** The name that the node must have; empty for any. */
  readonly node: string;
}

/** Adds an invitation, and removes those that are over. */
export async function addInvitation(
  tx: Tx,
  id: string,
  { sealed, node }: StoredInvitation,
  hours: number,
): Promise<void> {
  await tx.run(`delete from fleet_invitations where expires_at <= ${NOW}`);
  const sql = `insert into fleet_invitations (id, sealed, node, expires_at) values (?, ?, ?, ${NOW} + cast(? as bigint))`;
  await tx.run(sql, id, sealed, node, Math.round(hours * HOUR_MS));
}

/** Takes an invitation that is not over out of the store; `undefined` if there is none. */
export async function takeInvitation(tx: Tx, id: string): Promise<StoredInvitation | undefined> {
  const sql = `select sealed, node from fleet_invitations where id = ? and expires_at > ${NOW}`;
  const found = await tx.get<StoredInvitation>(sql, id);
  await tx.run('delete from fleet_invitations where id = ?', id);
  return found;
}

const memberOf = ({ name, address, key_digest, draining }: Row): Member => ({
  name,
  address,
  keyDigest: key_digest,
  isDraining: draining === 1,
});

const heartbeatOf = ({ accounts, user_url, admin_url, sample, ms_ago }: Row) => ({
  accounts,
  userUrl: user_url,
  adminUrl: admin_url,
  sample: loadIn(sample),
  seenSecondsAgo: Math.max(0, Math.round(ms_ago / 1000)),
});

/** Reads the figures that this version knows: a newer node may write more of them. */
function loadIn(sample: string): Load {
  const { cpu = null, memory = null, disk = null } = JSON.parse(sample) as Partial<Load>;
  return { cpu, memory, disk };
}
