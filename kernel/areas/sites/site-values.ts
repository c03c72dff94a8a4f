import type { Account } from '../../identity/accounts/account.ts';
import type { EventInput } from '../../store/events/audit-log.ts';
import type { Tx } from '../../store/store.ts';
import type { Host } from '../../contract/plugin.ts';
import { domainNamed, forgetRemoved, NO_DOMAINS, type Domain, type DomainDirectory } from './domain-directory.ts';
import { startReconciling } from '../../kit/waiting/reconciling.ts';
import { eventWakers } from '../../contract/workers.ts';
import { serveSite, SiteChanges } from './site-changes.ts';

/** Whose site is changed, as the client wrote its domain. */
export interface SiteSubject {
  readonly account: Account;
  readonly domain: string;
  readonly ip: string;
}

/** A value that is kept of a site, and the account that has the site. */
export interface SiteValue<T> {
  readonly accountId: number;
  readonly value: T;
}

/** A value by the name of its domain. */
export interface NamedValue<T> {
  readonly domain: string;
  readonly value: T;
}

interface SiteValuesOptions<T> {
  /** Its `domain_id` is the primary key, `account_id` refers to `accounts`, and `value` is a text. */
  readonly table: string;
  /** Says what is changed, for the lock of a domain. */
  readonly name: string;
  /** Of a site of which nothing is kept. */
  readonly initial: T;
}

interface Following<T> {
  /** Types of events after which something may have changed; it is looked for every few seconds as well. */
  readonly events: ReadonlySet<string>;
  readonly everyMs?: number;
  /** Names for people what is followed. */
  readonly subject: string;
  /** Resolves with what sites of an account are served with beside their values, as a text. */
  readonly stateOf: (account: Account) => Promise<string>;
  /** Whether a site is served with it. */
  readonly concerns: (value: T) => boolean;
}

/**
 * Values that a plugin keeps of sites as JSON, in a table of its own: each change is served before it is stored, and stored only if it
 * is served. They are forgotten with their domains.
 */
export class SiteValues<T> {
  readonly domains: DomainDirectory;
  readonly #host: Host;
  readonly #changes: SiteChanges<SiteValue<T>>;
  readonly #table: string;
  readonly #initial: T;

  constructor(host: Host, { table, name, initial }: SiteValuesOptions<T>) {
    this.domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
    this.#host = host;
    this.#changes = new SiteChanges(host, name);
    this.#table = table;
    this.#initial = initial;
    forgetRemoved(host, (id) => this.#changes.forget(id, (tx) => this.#remove(tx, id)));
  }

  /** Errors: 404 `domain_not_found`. */
  domain({ account, domain }: Pick<SiteSubject, 'account' | 'domain'>): Promise<Domain> {
    return domainNamed(this.domains, account, domain);
  }

  /** Returns the value of each domain of an account, by name. */
  async list(account: Account): Promise<NamedValue<T>[]> {
    return (await this.#all(account)).map(({ domain, value }) => ({ domain: domain.name, value }));
  }

  async #all(account: Account): Promise<{ readonly domain: Domain; readonly value: T }[]> {
    const domains = await this.domains.list(account);
    const stored = await this.stored(domains.map(({ id }) => id));
    return domains.map((domain) => ({ domain, value: stored.get(domain.id)?.value ?? this.#initial }));
  }

  /** Returns those that are kept of some domains, by the domain's id. */
  async stored(domainIds: readonly number[]): Promise<Map<number, SiteValue<T>>> {
    const rows = await this.#host.store.all<{ domain_id: number; account_id: number; value: string }>(
      `select domain_id, account_id, value from ${this.#table}
        where domain_id in (select cast(value as bigint) from json_each(?))`,
      JSON.stringify(domainIds),
    );
    return new Map(
      rows.map(({ domain_id: id, account_id: accountId, value }) => [id, { accountId, value: JSON.parse(value) as T }]),
    );
  }

  /** Returns those by which domains are served, a change that is not stored yet included. */
  async served(domainIds: readonly number[]): Promise<Map<number, SiteValue<T>>> {
    return this.#changes.served(domainIds, await this.stored(domainIds));
  }

  /**
   * Changes the value of a domain and records the event, if there is one. Resolves with the new value. Errors: those of `change`; any
   * error of a provider of `siteChanged`.
   */
  change(
    { account, ip }: SiteSubject,
    domain: Domain,
    change: (before: T) => T,
    event?: (by: Pick<EventInput, 'account' | 'ip'>, domain: string, value: T) => EventInput,
  ): Promise<NamedValue<T>> {
    const { identity, events } = this.#host;
    const { id, name } = domain;
    return this.#changes.inTurn(domain, async () => {
      const value = change((await this.stored([id])).get(id)?.value ?? this.#initial);
      await this.#changes.serve({ ...domain, account }, { accountId: account.id, value }, async (tx) => {
        await identity.accounts.assertExists(tx, account);
        await this.#remove(tx, id);
        const values = [id, account.id, JSON.stringify(value)];
        await tx.run(`insert into ${this.#table} (domain_id, account_id, value) values (?, ?, ?)`, ...values);
        if (event !== undefined) await events.record(tx, event({ account, ip }, name, value));
      });
      return { domain: name, value };
    });
  }

  /** Serves sites anew when what they are served with has changed. Returns a function that tells what failed in the last run. */
  follow({ events, subject, stateOf, concerns, ...timing }: Following<T>): () => string | undefined {
    const { accounts } = this.#host.identity;
    const served = new Map<number, string>();
    const serve = async (account: Account, state: string) => {
      for (const { domain, value } of await this.#all(account))
        if (concerns(value)) await serveSite(this.#host, { ...domain, account });
      served.set(account.id, state);
    };
    const wakers = eventWakers(this.#host, events);
    return startReconciling({ ...this.#host, ...timing, wakers, subject }, async (attempt) => {
      const sql = `select distinct account_id from ${this.#table} order by account_id`;
      for (const { account_id: id } of await this.#host.store.all<{ account_id: number }>(sql)) {
        const account = await accounts.byId(id);
        if (!accounts.isOpenHere(account)) continue;
        await attempt(`${subject} of ${account.username}`, async () => {
          const state = await stateOf(account);
          if (served.get(id) !== state) await serve(account, state);
        });
      }
    });
  }

  async #remove(tx: Tx, domainId: number): Promise<void> {
    await tx.run(`delete from ${this.#table} where domain_id = ?`, domainId);
  }
}
