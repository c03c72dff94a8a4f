import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountOrder, AccountPosition } from '../../kernel/identity/accounts/account-query.ts';
import { invalid } from '../../kernel/errors.ts';
import { isNode, noNode } from '../../kernel/contract/fleet-nodes.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Call } from '../../kernel/contract/route-spec.ts';
import type { Static } from '../../kernel/schema.ts';
import type { RecentReports } from './account-report.ts';
import { accountReply } from './accounts.ts';
import type * as schema from './schema.ts';

type Query = Static<typeof schema.AccountsQuery>;
type Page = Static<typeof schema.AccountPage>;
type UsageList = Static<typeof schema.UsageList>;

/** Accounts whose files may be measured at once. */
const MEASURED = 8;
/** How long a request looks for accounts that are over their limits. */
const LOOK_MS = 8000;

type ListCall = Omit<Call, 'query'> & { readonly query: Query };

/** Errors: 400 for an invalid cursor, 404 `node_not_found` for a name that neither a node of the fleet nor any home has. */
export async function listAccounts(host: Host, reports: RecentReports, call: ListCall): Promise<Page> {
  const { limit, cursor, sort, over, node, ...rest } = call.query;
  const filter = { ...rest, ...(node !== undefined && { home: node }) };
  const { accounts } = host.identity;
  const order = orderOf(sort);
  const after = positionIn(cursor, order);
  const read = (count: number, from: AccountPosition | undefined) => accounts.sorted(count, order, filter, from);
  const total = await accounts.countOf(filter);
  if (node !== undefined && total === 0)
    if (!(await isNode(host, node)) && (await accounts.countOf({ home: node })) === 0) throw noNode(node);
  const usageOf = (account: Account) => usageFrom(host, reports, call, account);
  if (over) return { ...(await overOnly(usageOf, limit, order, after, read)), total };
  const found = await read(limit + 1, after);
  const page = found.slice(0, limit);
  return {
    accounts: page.map(accountReply),
    total,
    next_cursor: found.length > limit ? cursorAt(page.at(-1), order) : null,
  };
}

type UsageOf = (account: Account) => Promise<UsageList>;

/** Resolves with what an account uses, and asks the node where it lives. */
async function usageFrom(host: Host, reports: RecentReports, call: ListCall, account: Account): Promise<UsageList> {
  if (host.identity.accounts.isHere(account)) return reports.usageOf(account);
  const params = { username: account.username };
  const { value } = await host.node.calls.call(call as unknown as Call, 'GET /api/accounts/:username/usage', {
    params,
  });
  return value as UsageList;
}

/** Looks at some accounts at a time until the page is full, the time is over, or there are no more. */
async function overOnly(
  usageOf: UsageOf,
  limit: number,
  order: AccountOrder,
  after: AccountPosition | undefined,
  read: (count: number, from: AccountPosition | undefined) => Promise<Account[]>,
): Promise<Omit<Page, 'total'>> {
  const found: Account[] = [];
  let last: Account | undefined;
  for (const end = performance.now() + LOOK_MS; performance.now() < end;) {
    const part = await read(MEASURED, last === undefined ? after : positionOf(last, order));
    const areOver = await Promise.all(part.map((account) => account.role === 'user' && isOver(usageOf, account)));
    for (const [i, account] of part.entries()) {
      last = account;
      if (areOver[i] === true && found.push(account) === limit)
        return { accounts: found.map(accountReply), next_cursor: cursorAt(last, order) };
    }
    if (part.length < MEASURED) return { accounts: found.map(accountReply), next_cursor: null };
  }
  return { accounts: found.map(accountReply), next_cursor: cursorAt(last, order) };
}

/** Whether an account has more than it may; also if that is not known. */
async function isOver(usageOf: UsageOf, account: Account): Promise<boolean> {
  try {
    const { usage, problems } = await usageOf(account);
    return problems.length > 0 || usage.some(({ over }) => over);
  } catch {
    return true;
  }
}

function orderOf(sort: string): AccountOrder {
  const isDescending = sort.startsWith('-');
  return { by: (isDescending ? sort.slice(1) : sort) as AccountOrder['by'], isDescending };
}

function positionOf({ username, createdAt, plan, email }: Account, { by }: AccountOrder): AccountPosition {
  return [{ username, created: createdAt, plan: plan?.name ?? '', email }[by], username];
}

/** The cursor of the order by name is the name. */
function cursorAt(last: Account | undefined, order: AccountOrder): string | null {
  if (last === undefined) return null;
  if (order.by === 'username') return last.username;
  return Buffer.from(JSON.stringify(positionOf(last, order))).toString('base64url');
}

/** Errors: 400 `invalid_request` for what is no cursor of this order. */
function positionIn(cursor: string, { by }: AccountOrder): AccountPosition | undefined {
  if (cursor === '') return undefined;
  if (by === 'username') return [cursor, cursor];
  try {
    const [value, username] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const isFit = typeof value === (by === 'created' ? 'number' : 'string') && typeof username === 'string';
    if (isFit) return [value as string | number, username];
  } catch {
    // refused below, like whatever else is no cursor
  }
  throw invalid('query', [{ path: '/cursor', message: 'must be the next_cursor of a page in the same order' }]);
}
