import type { Account } from '../../identity/accounts/account.ts';
import type { EventInput } from '../../store/events/audit-log.ts';

const HOUR_MS = 3_600_000;

/** The customers who log in. */
export interface DemoPeople {
  /** The account with every feature. */
  readonly demo: Account;
  /** The account on the smallest plan. */
  readonly other: Account;
}

/** For whom a plugin makes content. */
export interface DemoContext extends DemoPeople {
  /** The time from which the hours of `PastEvent` count, in milliseconds since 1970. */
  readonly now: number;
  /** Further customers, so that an operator sees a node that is in use. */
  readonly neighbours: readonly Account[];
}

/** An event that the log of a new demo tells of. */
export type PastEvent = EventInput & { readonly hoursAgo: number };

/** The services of this host that a plugin's part of the demo uses, as lines of text. */
export interface DemoReport {
  /** Services that were found, with version and how to see them. */
  readonly uses?: readonly string[];
  /** Services that were not found, why, and how to get them. */
  readonly leftOut?: readonly string[];
}

/** A web server of the demo alone: the default export of a plugin's `demo-web-server.ts` starts it, with all files in a folder. */
export interface DemoWebServer {
  /** Settings of the plugin `webserver`. */
  readonly settings: Readonly<
    Record<'driver' | 'listen' | 'listen_https' | 'vhost_folder' | 'log_folder', string> &
      Record<'check' | 'reload' | 'version', string[]>
  >;
  /** Resolves when its process has exited. */
  stop(): Promise<void>;
}

/** Returns the time that lies so many hours before another, in milliseconds since 1970. */
export const hoursBefore = (now: number, hours: number): number => now - Math.round(hours * HOUR_MS);
