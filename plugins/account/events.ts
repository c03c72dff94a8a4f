/** The events that this plugin records. */
import type { Favorite } from './schema.ts';

declare module '../../kernel/storage/audit-log.ts' {
  interface EventTypes {
    login: undefined;
    'login.failed': undefined;
    /** `by` is the administrator, or null for the command line. */
    'account.unlocked': { readonly by: string | null };
    /** An administrator proved password and second factor again. */
    reauthenticated: undefined;
    'twofa.on': undefined;
    'twofa.off': undefined;
    /** `by` is the administrator, or null for the command line. */
    'twofa.reset': { readonly by: string | null };
    /** A favorite was added, or its title changed. */
    'favorite.put': Favorite;
    'favorite.removed': { readonly link: string };
  }
}
