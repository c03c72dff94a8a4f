import { EtagReply } from '../../../kernel/areas/etag-reply.ts';
import type { Counts, DayCounts } from './counts.ts';
import type { UsageStore } from './store.ts';

/** The reply of `/api/usage/stats`, serialized once for each count. */
export class DailyStats {
  readonly #counts: Counts;
  readonly #store: UsageStore;
  #cached: { readonly counted: DayCounts; readonly reply: EtagReply } | undefined;

  constructor(counts: Counts, store: UsageStore) {
    this.#counts = counts;
    this.#store = store;
  }

  reply(): EtagReply | Promise<EtagReply> {
    const counted = this.#counts.read();
    if (this.#cached?.counted === counted) return this.#cached.reply;
    return Promise.resolve(counted).then((fresh) => this.#build(fresh));
  }

  async #build(counted: DayCounts): Promise<EtagReply> {
    const days = [...(await this.#store.daysBefore(counted.day)), counted];
    const lines = days.map(({ day, users, domains, websites }) =>
      JSON.stringify({ timestamp: day, users, domains, websites }),
    );
    const reply = EtagReply.json({ usage_stats: lines.join('\n') });
    this.#cached = { counted, reply };
    return reply;
  }
}
