import type { Store, Tx } from '../../kernel/store/store.ts';
import type { ReadPosition } from '../../kernel/kit/files/followed-log.ts';
import type { FoundRequest, FoundRule } from './log/entry.ts';

/** How many requests are kept of a site. */
export const MOST_REQUESTS = 1000;

export async function readPositions(local: Store): Promise<ReadPosition[]> {
  const rows = await local.all<{ inode: string; position: number; mark: Uint8Array }>(
    'select inode, position, mark from waf_followed order by nth',
  );
  return rows.map(({ inode, position, mark }) => ({ inode, offset: position, mark: Buffer.from(mark) }));
}

export async function writePositions(tx: Tx, positions: readonly ReadPosition[]): Promise<void> {
  await tx.run('delete from waf_followed');
  for (const [nth, { inode, offset, mark }] of positions.entries())
    await tx.run('insert into waf_followed values (?, ?, ?, ?)', nth, inode, offset, mark);
}

/** A request of a site, as it is kept. */
export interface KeptRequest extends FoundRequest {
  readonly id: number;
}

/** A request with its site. */
export interface MovedRequest extends KeptRequest {
  readonly domainId: number;
}
type Row = Omit<KeptRequest, 'rules' | 'isBlocked'> & { readonly rules: string; readonly blocked: number };

/** Keeps requests of a site, and of all that it has the newest. */
export async function addRequests(
  tx: Tx,
  { domainId, accountId }: { readonly domainId: number; readonly accountId: number },
  requests: readonly FoundRequest[],
): Promise<void> {
  for (const { at, ip, method, uri, status, isBlocked, rules } of requests.slice(-MOST_REQUESTS))
    await tx.run(
      'insert into waf_requests (domain_id, account_id, at, ip, method, uri, status, blocked, rules) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[domainId, accountId, at, ip, method, uri, status, isBlocked ? 1 : 0, JSON.stringify(rules)],
    );
  await tx.run(
    `delete from waf_requests where domain_id = ? and id <= (
      select id from waf_requests where domain_id = ? order by id desc limit 1 offset ?)`,
    ...[domainId, domainId, MOST_REQUESTS],
  );
}

export interface RequestFilter {
  /** In address or path, in any case; empty for all. */
  readonly text: string;
  /** The number of a rule that found something. */
  readonly rule?: number;
  readonly action: '' | 'blocked' | 'reported';
  /** Only those before; 0 for all. */
  readonly before: number;
  readonly limit: number;
}

/** Returns requests of a site, the newest first. */
export async function listRequests(local: Store, domainId: number, filter: RequestFilter): Promise<KeptRequest[]> {
  const { text, rule, action, before, limit } = filter;
  const rows = await local.all<Row>(
    `select id, at, ip, method, uri, status, blocked, rules from waf_requests
      where domain_id = ? and (? = 0 or id < ?) and (? = '' or instr(lower(ip || ' ' || uri), ?) > 0)
        and (? = '' or instr(rules, ?) > 0) and (? < 0 or blocked = ?)
      order by id desc limit ?`,
    ...[domainId, before, before, text, text.toLowerCase()],
    ...(rule === undefined ? ['', ''] : [`${rule}`, `{"id":${rule},`]),
    ...[action === '' ? -1 : 1, action === 'blocked' ? 1 : 0, limit],
  );
  return rows.map(fromRow);
}

const fromRow = <T extends Row>({ rules, blocked, ...rest }: T) => ({
  ...rest,
  isBlocked: blocked === 1,
  rules: JSON.parse(rules) as FoundRule[],
});

/** Resolves with requests of all sites of an account in the order in which they were kept, after one of them. */
export async function requestsAfter(
  local: Store,
  accountId: number,
  after: MovedRequest | undefined,
  limit: number,
): Promise<MovedRequest[]> {
  const rows = await local.all<Row & { domainId: number }>(
    `select id, domain_id as domainId, at, ip, method, uri, status, blocked, rules from waf_requests
      where account_id = ? and id > ? order by id limit ?`,
    ...[accountId, after?.id ?? 0, limit],
  );
  return rows.map(fromRow);
}

export async function forgetAccount(tx: Tx, accountId: number): Promise<void> {
  await tx.run('delete from waf_requests where account_id = ?', accountId);
}

export async function forgetRequests(tx: Tx, domainId: number): Promise<void> {
  await tx.run('delete from waf_requests where domain_id = ?', domainId);
}
