import type { Occurrence } from '../../kernel/store/events/event-types.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { hoursBefore, type DemoContext, type DemoPeople, type PastEvent } from '../../kernel/contract/points/demo.ts';
import { addLogin } from './store.ts';
import { addressNetwork } from '../../kernel/kit/net/ip.ts';

type DemoEvent = Occurrence & { readonly text: string };
const LOGGED_IN: DemoEvent = { type: 'login', text: 'logged in' };
const LOGGED_OUT: DemoEvent = { type: 'logout', text: 'logged out' };
const FAILED: DemoEvent = { type: 'login.failed', text: 'failed to log in' };

/** Addresses of public name servers in Germany, Denmark and France: the country database knows none for documentation. */
const [HOME, TRAVEL, PHONE, CAFE] = ['194.150.168.168', '130.225.244.166', '2001:910:800::12', '80.67.169.12'];

/** Events of the demo account: hours ago, client address, event. */
const EVENTS: readonly (readonly [number, string, DemoEvent])[] = [
  [121, HOME, LOGGED_IN],
  [99, TRAVEL, FAILED],
  [98.9, TRAVEL, LOGGED_IN],
  [97, TRAVEL, LOGGED_OUT],
  [73.5, HOME, LOGGED_IN],
  [50, PHONE, LOGGED_IN],
  [49.4, PHONE, { type: 'session.ended', text: 'ended a session', data: { count: 1 } }],
  [48.8, PHONE, LOGGED_OUT],
  [26, HOME, LOGGED_IN],
  [25, HOME, LOGGED_OUT],
  [5.2, CAFE, FAILED],
  [5.1, CAFE, LOGGED_IN],
  [4.6, CAFE, LOGGED_OUT],
];

/** Returns a few days of the demo account, and a login of the other one. */
export const demoPast = ({ demo, other }: DemoPeople): PastEvent[] => [
  ...EVENTS.map(([hoursAgo, ip, event]) => ({ ...event, account: demo, ip, hoursAgo })),
  { ...LOGGED_IN, account: other, ip: TRAVEL, hoursAgo: 30 },
];

/** Adds the logins of the past to the histories of their accounts. */
export async function fillDemo({ store }: Pick<Host, 'store'>, context: DemoContext): Promise<void> {
  const logins = demoPast(context).filter(({ type }) => type === 'login');
  await store.write(async (tx) => {
    for (const { account, ip, hoursAgo } of logins)
      if (account !== undefined)
        await addLogin(tx, account.id, { at: hoursBefore(context.now, hoursAgo), ip }, addressNetwork(ip));
  });
}
