import { ready, type Reply } from '../../kernel/plugin-api/reply.ts';
import type { Counted, Counts } from './counts.ts';
import type { UsageStore } from './store.ts';

/** The reply of `/api/usage/stats`, made anew with each count. */
export class Stats {
  readonly #counts: Counts;
  readonly #store: UsageStore;
  #made: { readonly counted: Counted; readonly reply: Reply } | undefined;

  constructor(counts: Counts, store: UsageStore) {
    this.#counts = counts;
    this.#store = store;
  }

  reply(): Reply | Promise<Reply> {
    const counted = this.#counts.read();
    if (this.#made?.counted === counted) return this.#made.reply;
    return Promise.resolve(counted).then((fresh) => this.#make(fresh));
  }

  async #make(counted: Counted): Promise<Reply> {
    const days = [...(await this.#store.daysBefore(counted.day)), counted];
    const lines = days.map(({ day, users, domains, websites }) =>
      JSON.stringify({ timestamp: day, users, domains, websites }),
    );
    const reply = ready({ usage_stats: lines.join('\n') });
    this.#made = { counted, reply };
    return reply;
  }
}
