import type { Host } from '../../kernel/contract/plugin.ts';
import type { DemoPeople, PastEvent } from '../../kernel/contract/points/demo.ts';
import type { Occurrence } from '../../kernel/store/events/event-types.ts';
import type { Favorite } from './schema.ts';
import { putFavorites } from './store.ts';

const HOUR_MS = 3_600_000;

const FAVORITES = [
  { link: '/files', title: 'File manager' },
  { link: '/domains', title: 'Domains' },
  { link: '/mysql/phpmyadmin', title: 'phpMyAdmin' },
  { link: '/account/activity', title: 'Activity log' },
  { link: 'https://wordpress.org/documentation/', title: 'WordPress documentation' },
] as const;

type DemoEvent = Occurrence & { readonly text: string };
const favoriteAdded = (favorite: Favorite): DemoEvent => ({
  type: 'favorite.put',
  text: `added the favorite ${favorite.title}`,
  data: favorite,
});
const localeChanged = (locale: string): DemoEvent => ({
  type: 'account.changed',
  text: `changed the locale to ${locale}`,
  data: { locale },
});

/** The addresses at home and away from which the demo account logs in. */
const [HOME, TRAVEL] = ['194.150.168.168', '130.225.244.166'];

/** Events of the demo account: hours ago, client address, event. */
const EVENTS: readonly (readonly [number, string, DemoEvent])[] = [
  [120.8, HOME, favoriteAdded(FAVORITES[1])],
  [120.5, HOME, favoriteAdded(FAVORITES[0])],
  [98.2, TRAVEL, favoriteAdded(FAVORITES[2])],
  [73.1, HOME, localeChanged('de')],
  [72.9, HOME, localeChanged('en')],
  [25.5, HOME, favoriteAdded(FAVORITES[4])],
];

/** Returns how the demo account got its favorites, and tried a language. */
export const demoPast = ({ demo }: DemoPeople): PastEvent[] =>
  EVENTS.map(([hoursAgo, ip, event]) => ({
    ...event,
    account: demo,
    ip,
    at: Date.now() - Math.round(hoursAgo * HOUR_MS),
  }));

/** Gives the demo account favorites. */
export const fillDemo = ({ store }: Pick<Host, 'store'>, { demo }: DemoPeople): Promise<void> =>
  store.write((tx) => putFavorites(tx, demo.id, FAVORITES));
