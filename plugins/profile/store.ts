import type { Reader, Tx } from '../../kernel/store/store.ts';
import type { Favorite } from './schema.ts';

/** Returns the favorites in the order of the account. */
export function readFavorites(reader: Reader, accountId: number): Promise<Favorite[]> {
  return reader.all<Favorite>('select link, title from favorites where account_id = ? order by place, id', accountId);
}

/** Writes all favorites of an account, in their order; none is removed. */
export async function putFavorites(tx: Tx, accountId: number, favorites: readonly Favorite[]): Promise<void> {
  for (const [place, { link, title }] of favorites.entries())
    await tx.run(
      `insert into favorites (account_id, link, title, place) values (?, ?, ?, ?)
        on conflict (account_id, link) do update set title = excluded.title, place = excluded.place`,
      accountId,
      link,
      title,
      place,
    );
}

export async function removeFavorite(tx: Tx, accountId: number, link: string): Promise<void> {
  await tx.run('delete from favorites where account_id = ? and link = ?', accountId, link);
}
