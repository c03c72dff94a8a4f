import type { Host } from '../../kernel/contract/plugin.ts';
import type { DemoPeople, PastEvent } from '../../kernel/contract/points/demo.ts';
import type { Occurrence } from '../../kernel/store/events/event-types.ts';
import type { Favorite } from './schema.ts';
import { putFavorites } from './store.ts';

const GUIDE: Favorite = { link: 'https://wordpress.org/documentation/', title: 'WordPress documentation' };

/** Resolves with favorites for pages that this server has, each of which shows one feature. */
async function demoFavorites({ node }: Pick<Host, 'node'>, { demo }: DemoPeople): Promise<Favorite[]> {
  const usable = new Set(node.providedFeatures(demo));
  const shown = (await node.features('en')).filter(({ name, link }) => usable.has(name) && link !== '');
  const alone = shown.filter(({ link }) => shown.filter((other) => other.link === link).length === 1);
  return [...alone.slice(0, 4).map(({ link, title }) => ({ link, title })), GUIDE];
}

type DemoEvent = Occurrence & { readonly text: string };
const favoriteAdded = (favorite: Favorite): DemoEvent => ({
  type: 'favorite.put',
  text: `added the favorite ${favorite.title}`,
  data: favorite,
});
const localeChanged = (locale: string): DemoEvent => ({
  type: 'account.changed',
  text: `changed the language to ${locale}`,
  data: { locale },
});

/** The addresses at home and away from which the demo account logs in. */
const [HOME, TRAVEL] = ['194.150.168.168', '130.225.244.166'];

/** Resolves with how the demo account got its favorites, and tried a language. */
export async function demoPast(host: Pick<Host, 'node'>, people: DemoPeople): Promise<PastEvent[]> {
  const favorites = await demoFavorites(host, people);
  const added = favorites.map((favorite, i): readonly [number, string, DemoEvent] => [
    120.8 - i * 19,
    i === 2 ? TRAVEL : HOME,
    favoriteAdded(favorite),
  ]);
  const tried = [
    [73.1, HOME, localeChanged('de')],
    [72.9, HOME, localeChanged('en')],
  ] as const;
  return [...added, ...tried].map(([hoursAgo, ip, event]) => ({ ...event, account: people.demo, ip, hoursAgo }));
}

/** Gives the demo account favorites. */
export async function fillDemo(host: Pick<Host, 'node' | 'store'>, people: DemoPeople): Promise<void> {
  const favorites = await demoFavorites(host, people);
  await host.store.write((tx) => putFavorites(tx, people.demo.id, favorites));
}
