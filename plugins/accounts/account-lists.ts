import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountFilter } from '../../kernel/identity/accounts/account-query.ts';
import { fail } from '../../kernel/errors.ts';
import { isNode, noNode } from '../../kernel/areas/fleet-nodes.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Call } from '../../kernel/contract/route-spec.ts';
import type { AccountFigures, AccountsUsage, SampledUsage } from '../../kernel/contract/points/account-report.ts';
import type { Position } from '../../kernel/kit/position.ts';
import type { Static } from '../../kernel/schema.ts';
import { knownUsage, type RecentReports } from './account-report.ts';
import { accountReply } from './accounts.ts';
import { figureListing, isFigure, storedListing, toOrder, type Listing } from './listing.ts';
import type * as schema from './schema.ts';

type Figures = ReadonlyMap<number, AccountFigures>;
type Query = Static<typeof schema.AccountsQuery>;
type Page = Static<typeof schema.AccountPage>;
type UsageList = Static<typeof schema.UsageList>;

const UNKNOWN: AccountFigures = { disk_kib: null, inodes: null, cpu_percent: null, memory_bytes: null };
/** Accounts whose files may be measured at once. */
const MEASURED = 8;
/** How long a request looks for accounts that are over their limits. */
const LOOK_MS = 8000;

type ListCall = Omit<Call, 'query'> & { readonly query: Query };

/** Errors: 400 for an invalid cursor, 404 `node_not_found` for a name that neither a node of the fleet nor any home has. */
export async function listAccounts(host: Host, reports: RecentReports, call: ListCall): Promise<Page> {
  const { limit, cursor, sort, over, node, usage: isWithUsage, ...rest } = call.query;
  const filter = { ...rest, ...(node !== undefined && { home: node }) };
  const { accounts } = host.identity;
  const order = toOrder(sort);
  const sampled = host.peer<SampledUsage>('usage');
  const figures = isFigure(order.by) ? await sampledFigures(sampled) : isWithUsage ? sampled?.peek() : undefined;
  const listing = listingBy(accounts, filter, order, figures);
  const after = listing.from(cursor);
  const reply = (account: Account) => ({
    ...accountReply(account),
    ...(isWithUsage && { usage: figures?.get(account.id) ?? UNKNOWN }),
  });
  const total = await accounts.countOf(filter);
  if (node !== undefined && total === 0)
    if (!(await isNode(host, node)) && (await accounts.countOf({ home: node })) === 0) throw noNode(node);
  if (over) {
    const usageOf = (account: Account) => usageFrom(host, reports, call, account);
    const known = (part: readonly Account[]) => knownUsage(host.gather, part.filter(accounts.isHere));
    const { found, next } = await overOnly({ known, usageOf }, limit, listing, after);
    return { accounts: found.map(reply), total, next_cursor: next };
  }
  const found = await listing.read(limit + 1, after);
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    accounts: found.slice(0, limit).map(reply),
    total,
    next_cursor: last === undefined ? null : listing.cursorAt(last),
  };
}

/** Errors: 503 `feature_unavailable` where nothing samples what accounts use, `overloaded` before the first sample. */
async function sampledFigures(sampled: SampledUsage | undefined): Promise<Figures> {
  if (sampled === undefined) throw fail.feature_unavailable('the plugin usage, which samples accounts, is off');
  return sampled.figures();
}

function listingBy(
  accounts: Host['identity']['accounts'],
  filter: AccountFilter,
  { by, isDescending }: ReturnType<typeof toOrder>,
  figures: Figures = new Map(),
): Listing {
  if (isFigure(by)) return figureListing(accounts, filter, { by, isDescending }, figures);
  return storedListing(accounts, filter, { by, isDescending });
}

type UsageOf = (account: Account) => Promise<UsageList>;
interface UsageSource {
  /** Resolves with what is known of accounts of this node without looking for it. */
  readonly known: (accounts: readonly Account[]) => Promise<AccountsUsage>;
  readonly usageOf: UsageOf;
}

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
  { known, usageOf }: UsageSource,
  limit: number,
  listing: Listing,
  after: Position | undefined,
): Promise<{ readonly found: readonly Account[]; readonly next: string | null }> {
  const found: Account[] = [];
  let last: Account | undefined;
  for (const end = performance.now() + LOOK_MS; performance.now() < end;) {
    const part = await listing.read(MEASURED, last === undefined ? after : listing.positionOf(last));
    const users = part.filter(({ role }) => role === 'user');
    const usage = await known(users);
    const areOver = await Promise.all(
      part.map((account) => {
        const ofAccount = usage.get(account.id);
        if (ofAccount !== undefined) return ofAccount.some((each) => each.isOver);
        return users.includes(account) && isOver(usageOf, account);
      }),
    );
    for (const [i, account] of part.entries()) {
      last = account;
      if (areOver[i] === true && found.push(account) === limit) return { found, next: listing.cursorAt(account) };
    }
    if (part.length < MEASURED) return { found, next: null };
  }
  return { found, next: last === undefined ? null : listing.cursorAt(last) };
}

/** Whether an account has more than it may; also if that is not known. */
async function isOver(usageOf: UsageOf, account: Account): Promise<boolean> {
  try {
    const { usage, problems } = await usageOf(account);
    return problems.length > 0 || usage.some(({ over }) => over);
  } catch {
    // somebody has to look at it
    return true;
  }
}
