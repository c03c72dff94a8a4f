import type { Host } from '../../../kernel/contract/plugin.ts';
import { readSizes } from '../../../kernel/kit/databases/postgresql/databases.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import type { AccountServers } from '../server/account-servers.ts';

/** The server looks at each file: at most a tenth of the time it does that. */
const freshMs = (tookMs: number): number => Math.max(1000, 10 * tookMs);

interface Parts extends Pick<Host, 'store'> {
  readonly servers: AccountServers;
}
type Sizes = ReadonlyMap<number, number>;

/** The sizes of the databases of accounts, measured for all accounts of a server together. */
export class DatabaseSizes {
  readonly #parts: Parts;
  readonly #byServer = new Map<string, Polled<Sizes>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with the bytes of an account's databases at a server. Errors: 503 `databases_unavailable`. */
  async at(server: string, { id }: { readonly id: number }): Promise<number> {
    const polled = this.#byServer.get(server) ?? new Polled({ measure: () => this.#measure(server), freshMs });
    this.#byServer.set(server, polled);
    return (await polled.read()).get(id) ?? 0;
  }

  async #measure(server: string): Promise<Sizes> {
    const { store, servers } = this.#parts;
    const rows = await store.all<{ id: number; name: string }>(
      "select account_id as id, name from postgresql_items where server = ? and kind = 'database'",
      server,
    );
    const names = rows.map(({ name }) => name);
    const sizes = await servers.turns.judged(server, () => servers.open(server, ({ main }) => readSizes(main, names)));
    const found = new Map<number, number>();
    for (const { id, name } of rows) found.set(id, (found.get(id) ?? 0) + (sizes.get(name) ?? 0));
    return found;
  }
}
