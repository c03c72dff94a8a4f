/** What this plugin records. */
import type { Favorite } from './schema.ts';

declare module '../../kernel/storage/audit-log.ts' {
  interface EventTypes {
    login: undefined;
    'login.failed': undefined;
    'twofa.on': undefined;
    'twofa.off': undefined;
    /** The administrator who took it away. */
    'twofa.reset': { readonly by: string };
    /** Added or renamed. */
    'favorite.put': Favorite;
    'favorite.removed': { readonly link: string };
  }
}
