import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { AccountFilter, AccountOrder } from '../../kernel/identity/accounts/account-query.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { FIGURES, type AccountFigures, type FigureName } from '../../kernel/contract/points/account-report.ts';
import { fromCursor, sortedFrom, toCursor, type Position } from '../../kernel/kit/position.ts';

/** The accounts of a filter, in an order. */
export interface Listing {
  /** The position that a cursor stands for. Errors: 400 `invalid_request` for what is no cursor of this order. */
  from(cursor: string): Position | undefined;
  read(count: number, after: Position | undefined): Promise<readonly Account[]>;
  positionOf(account: Account): Position;
  /** The cursor after an account. */
  cursorAt(account: Account): string;
}

type Named = Pick<Account, 'id' | 'username'>;
interface Sorted {
  readonly by: AccountOrder['by'] | FigureName;
  readonly isDescending: boolean;
}

/** Reads an order from the API's form of it: `-name` for descending. */
export function toOrder(sort: string): Sorted {
  return { by: sort.replace('-', '') as Sorted['by'], isDescending: sort.startsWith('-') };
}

export const isFigure = (by: string): by is FigureName => FIGURES.includes(by as FigureName);

/** Lists accounts as the store sorts them. The cursor of the order by name is the name. */
export function storedListing(
  accounts: Host['identity']['accounts'],
  filter: AccountFilter,
  order: AccountOrder,
): Listing {
  const { by } = order;
  const positionOf = ({ username, createdAt, plan, email }: Account): Position => [
    { username, created: createdAt, plan: plan?.name ?? '', email }[by],
    username,
  ];
  const isByName = by === 'username';
  return {
    from: (cursor) =>
      isByName && cursor !== '' ? [cursor, cursor] : fromCursor(cursor, by === 'created' ? 'number' : 'string'),
    read: (count, after) => accounts.sorted(count, order, filter, after),
    positionOf,
    cursorAt: (account) => (isByName ? account.username : toCursor(positionOf(account))),
  };
}

/** Lists accounts by a figure; what is not known counts as less than nothing. */
export function figureListing(
  accounts: Host['identity']['accounts'],
  filter: AccountFilter,
  { by, isDescending }: { readonly by: FigureName; readonly isDescending: boolean },
  figures: ReadonlyMap<number, AccountFigures>,
): Listing {
  const positionOf = ({ id, username }: Named): Position => [figures.get(id)?.[by] ?? -1, username];
  let all: Promise<Named[]> | undefined;
  return {
    from: (cursor) => fromCursor(cursor, 'number'),
    read: async (count, after) => {
      all ??= accounts.matching(filter);
      const page = sortedFrom(await all, positionOf, isDescending, after).slice(0, count);
      const read = await Promise.all(page.map(({ id }) => accounts.byId(id)));
      return read.filter((account) => account !== undefined); // one may be removed meanwhile
    },
    positionOf,
    cursorAt: (account) => toCursor(positionOf(account)),
  };
}
