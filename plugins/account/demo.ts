import type { Account } from '../../kernel/accounts.ts';
import type { Host } from '../../kernel/plugin.ts';
import type { DemoContext } from '../../kernel/points.ts';
import { addLogin, putFavorite } from './store.ts';
import { networkOf } from './throttle.ts';

const HOUR_MS = 3_600_000;

const FAVORITES = [
  { link: '/files', title: 'File manager' },
  { link: '/domains', title: 'Domains' },
  { link: '/mysql/phpmyadmin', title: 'phpMyAdmin' },
  { link: '/account/activity', title: 'Activity log' },
  { link: 'https://wordpress.org/documentation/', title: 'WordPress documentation' },
] as const;

/** What the demo account did: hours ago, from where, and what. Addresses are those set aside for documentation. */
const PAST: readonly (readonly [number, string, string, string])[] = [
  [121, '203.0.113.24', 'login', 'logged in'],
  [120.8, '203.0.113.24', 'favorite.put', 'added the favorite Domains'],
  [120.5, '203.0.113.24', 'favorite.put', 'added the favorite File manager'],
  [99, '198.51.100.7', 'login.failed', 'failed to log in'],
  [98.9, '198.51.100.7', 'login', 'logged in'],
  [98.2, '198.51.100.7', 'favorite.put', 'added the favorite phpMyAdmin'],
  [97, '198.51.100.7', 'logout', 'logged out'],
  [73.5, '203.0.113.24', 'login', 'logged in'],
  [73.1, '203.0.113.24', 'account.changed', 'changed the locale to de'],
  [72.9, '203.0.113.24', 'account.changed', 'changed the locale to en'],
  [50, '2001:db8:20::15', 'login', 'logged in'],
  [49.4, '2001:db8:20::15', 'session.ended', 'ended a session'],
  [48.8, '2001:db8:20::15', 'logout', 'logged out'],
  [26, '203.0.113.24', 'login', 'logged in'],
  [25.5, '203.0.113.24', 'favorite.put', 'added the favorite WordPress documentation'],
  [25, '203.0.113.24', 'logout', 'logged out'],
  [5.2, '192.0.2.88', 'login.failed', 'failed to log in'],
  [5.1, '192.0.2.88', 'login', 'logged in'],
  [4.6, '192.0.2.88', 'logout', 'logged out'],
];

/** Favorites and a few days of history for the demo account, and a login of the other one. */
export async function fillDemo({ store, events }: Pick<Host, 'store' | 'events'>, { demo, other }: DemoContext): Promise<void> {
  await store.write(async (tx) => {
    const past = async (account: Account, hoursAgo: number, ip: string, type: string, text: string) => {
      const at = Date.now() - Math.round(hoursAgo * HOUR_MS);
      await events.record(tx, { type, account, text, ip, at });
      if (type === 'login') await addLogin(tx, account.id, { at, ip }, networkOf(ip));
    };
    for (const favorite of FAVORITES) await putFavorite(tx, demo.id, favorite);
    for (const [hoursAgo, ip, type, text] of PAST) await past(demo, hoursAgo, ip, type, text);
    await past(other, 30, '198.51.100.130', 'login', 'logged in');
  });
}
