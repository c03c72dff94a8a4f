import { atMost, LRUCache } from '../../kernel/kit/waiting/bounded-cache.ts';
import type { Gathered } from '../../kernel/contract/extension-points.ts';
import type { DashboardPart } from '../../kernel/contract/points/dashboard-part.ts';

const ACCOUNTS = 10_000;

/** Remembers what each plugin supplied last for an account, so that a failure never looks like an empty result. */
export class LastParts {
  readonly #accounts = new LRUCache<number, Map<string, DashboardPart>>(atMost(ACCOUNTS));

  /** Puts the parts together; in the place of one that failed stands the last one, if there is any. */
  merge(accountId: number, parts: readonly Gathered<'dashboard'>[]): { part: DashboardPart; stale: string[] } {
    const last = this.#accounts.get(accountId);
    const known = new Map<string, DashboardPart>();
    for (const each of parts) {
      const part = each.ok ? each.value : last?.get(each.plugin);
      if (part !== undefined) known.set(each.plugin, part);
    }
    this.#accounts.set(accountId, known);
    const all = [...known.values()];
    const databases = all.reduce((sum, { db_usage: n = 0 }) => sum + n, 0);
    return {
      part: { ...(Object.assign({}, ...all) as DashboardPart), db_usage: databases },
      stale: parts.flatMap(({ plugin, ok }) => (ok ? [] : [plugin])).toSorted(),
    };
  }
}
