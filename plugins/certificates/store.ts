import type { Domain } from '../../kernel/areas/sites/domain-directory.ts';
import type { Reader, Tx } from '../../kernel/store/store.ts';

/** How a domain answers over TLS. Without a row it has the defaults. */
export interface DomainTls {
  readonly domainId: number;
  readonly accountId: number;
  /** Whether the customer brought the certificate. */
  readonly isOwn: boolean;
  /** The private key and the certificates, sealed; `undefined` while there are none, or the web server has got them by itself. */
  readonly sealed: string | undefined;
  readonly names: readonly string[];
  readonly issuer: string;
  /** Milliseconds since 1970, as all times here. */
  readonly validFrom: number;
  readonly validTo: number;
  readonly forcesHttps: boolean;
  readonly hasHsts: boolean;
  /** When one was ordered last, or looked for that the web server gets; 0 for never. */
  readonly triedAt: number;
  /** When that is done next. */
  readonly tryAt: number;
  /** How often in a row that failed, and why it last did. */
  readonly failures: number;
  readonly problem: string;
  /** Whether an event says that it expires. */
  readonly isTold: boolean;
}

/** The members that a certificate consists of. */
export const NO_CERTIFICATE = {
  isOwn: false,
  sealed: undefined,
  names: [],
  issuer: '',
  validFrom: 0,
  validTo: 0,
  isTold: false,
} as const;

/** Returns the row of a domain that has none. */
export const newTls = (domainId: number, accountId: number): DomainTls => ({
  ...NO_CERTIFICATE,
  domainId,
  accountId,
  forcesHttps: false,
  hasHsts: false,
  triedAt: 0,
  tryAt: 0,
  failures: 0,
  problem: '',
});

interface Row {
  readonly domain_id: number;
  readonly account_id: number;
  readonly is_own: number;
  readonly sealed: string | null;
  readonly names: string;
  readonly issuer: string;
  readonly valid_from: number;
  readonly valid_to: number;
  readonly forces_https: number;
  readonly has_hsts: number;
  readonly tried_at: number;
  readonly try_at: number;
  readonly failures: number;
  readonly problem: string;
  readonly is_told: number;
}

const COLUMNS =
  'domain_id, account_id, is_own, sealed, names, issuer, valid_from, valid_to, forces_https, has_hsts, tried_at, try_at, failures, problem, is_told';

/** Returns the rows of some domains, by the domain's id. */
export async function readTls(reader: Reader, domainIds: readonly number[]): Promise<Map<number, DomainTls>> {
  const rows = await reader.all<Row>(
    `select ${COLUMNS} from certificates where domain_id in (select cast(value as bigint) from json_each(?))`,
    JSON.stringify(domainIds),
  );
  return new Map(rows.map((row) => [row.domain_id, fromRow(row)]));
}

function fromRow(row: Row): DomainTls {
  return {
    domainId: row.domain_id,
    accountId: row.account_id,
    isOwn: row.is_own === 1,
    sealed: row.sealed ?? undefined,
    names: JSON.parse(row.names) as string[],
    issuer: row.issuer,
    validFrom: row.valid_from,
    validTo: row.valid_to,
    forcesHttps: row.forces_https === 1,
    hasHsts: row.has_hsts === 1,
    triedAt: row.tried_at,
    tryAt: row.try_at,
    failures: row.failures,
    problem: row.problem,
    isTold: row.is_told === 1,
  };
}

/** Inserts or replaces a row. */
export async function writeTls(tx: Tx, tls: DomainTls): Promise<void> {
  const columns = COLUMNS.split(', ');
  await tx.run(
    `insert into certificates (${COLUMNS}) values (${columns.map(() => '?').join(', ')})
      on conflict (domain_id) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    tls.domainId,
    tls.accountId,
    Number(tls.isOwn),
    tls.sealed ?? null,
    JSON.stringify(tls.names),
    tls.issuer,
    tls.validFrom,
    tls.validTo,
    Number(tls.forcesHttps),
    Number(tls.hasHsts),
    tls.triedAt,
    tls.tryAt,
    tls.failures,
    tls.problem,
    Number(tls.isTold),
  );
}

export async function removeTls(tx: Tx, domainId: number): Promise<void> {
  await tx.run('delete from certificates where domain_id = ?', domainId);
}

/** Counts certificates that are valid and that have expired, domains that lack a new one, and names the time when the first one expires. */
export async function countTls(
  reader: Reader,
  now: number,
): Promise<{ readonly valid: number; readonly expired: number; readonly failing: number; readonly next: number }> {
  const row = await reader.get<Record<'valid' | 'expired' | 'failing' | 'next', number | null>>(
    `select sum(case when valid_to > ? then 1 else 0 end) as valid,
        sum(case when valid_to between 1 and ? then 1 else 0 end) as expired,
        sum(case when failures > 0 then 1 else 0 end) as failing,
        min(case when valid_to > ? then valid_to end) as next from certificates`,
    now,
    now,
    now,
  );
  const { valid, expired, failing, next } = row ?? { valid: 0, expired: 0, failing: 0, next: 0 };
  return {
    valid: Number(valid ?? 0),
    expired: Number(expired ?? 0),
    failing: Number(failing ?? 0),
    next: Number(next ?? 0),
  };
}

/** Resolves with a sealed key of the plugin's own, which is `made` if there is none. */
export async function keepKey(tx: Tx, name: string, made: string): Promise<string> {
  await tx.run('insert into certificate_keys (name, sealed) values (?, ?) on conflict (name) do nothing', name, made);
  const row = await tx.get<{ sealed: string }>('select sealed from certificate_keys where name = ?', name);
  return row?.sealed ?? made;
}

export async function findKey(reader: Reader, name: string): Promise<string | undefined> {
  return (await reader.get<{ sealed: string }>('select sealed from certificate_keys where name = ?', name))?.sealed;
}

/** Resolves with how a domain answers over TLS. */
export async function readOne(reader: Reader, { id, accountId }: Domain): Promise<DomainTls> {
  return (await readTls(reader, [id])).get(id) ?? newTls(id, accountId);
}
