import type { Account } from '../../kernel/identity/accounts/account.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Favorite, FavoriteBody } from './schema.ts';
import { readFavorites, putFavorites, removeFavorite } from './store.ts';
import { fail } from './errors.ts';

const LIMIT = 50;

/** Adds a favorite, renames or moves it; returns all. Errors: 400 `invalid_request`, 409 `favorites_full`. */
export async function put(
  { store, events }: Pick<Host, 'store' | 'events'>,
  account: Account,
  { position, ...favorite }: FavoriteBody,
  ip: string,
): Promise<Favorite[]> {
  if (!isLink(favorite.link))
    throw invalid('body', [{ path: '/link', message: 'must be an http or https URL, or an absolute path' }]);
  return store.write(async (tx) => {
    const before = await readFavorites(tx, account.id);
    const index = before.findIndex(({ link }) => link === favorite.link);
    const existing = before[index];
    const others = before.filter((each) => each !== existing);
    const place = Math.min(position ?? (existing === undefined ? LIMIT : index), others.length);
    if (existing?.title === favorite.title && place === index) return before;
    if (existing === undefined && before.length >= LIMIT)
      throw fail.favorites_full(`an account can have at most ${LIMIT} favorites`);
    const after = others.toSpliced(place, 0, favorite);
    await putFavorites(tx, account.id, after);
    const act = existing === undefined ? 'added' : existing.title === favorite.title ? 'moved' : 'renamed';
    await events.record(tx, {
      type: 'favorite.put',
      account,
      text: `${act} the favorite ${favorite.title}`,
      ip,
      data: favorite,
    });
    return after;
  });
}

/** Removes the favorite with this link, if it exists; returns the remaining ones. */
export async function remove(
  { store, events }: Pick<Host, 'store' | 'events'>,
  account: Account,
  link: string,
  ip: string,
): Promise<Favorite[]> {
  return store.write(async (tx) => {
    const before = await readFavorites(tx, account.id);
    const removed = before.find((favorite) => favorite.link === link);
    if (removed === undefined) return before;
    await removeFavorite(tx, account.id, link);
    await events.record(tx, {
      type: 'favorite.removed',
      account,
      text: `removed the favorite ${removed.title}`,
      ip,
      data: { link },
    });
    return before.filter((favorite) => favorite !== removed);
  });
}

/** Accepts an http(s) URL or a path of this panel, but not `//host` and `/\host`: browsers go to another host. */
export function isLink(link: string): boolean {
  if (link.startsWith('/')) return !/^\/[/\\]/.test(link);
  return /^https?:\/\/[^/?#\\\s]/i.test(link) && URL.canParse(link);
}
