import type { Host } from '../../kernel/contract/plugin.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { programKey } from '../../kernel/kit/programs/program-folder.ts';
import { startReconciling, type AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';
import type { AccountServices } from './account-services.ts';
import type { ServiceCounts } from './metrics.ts';
import { serviceNamed } from './programs/service-program.ts';
import { switchedOn } from './store.ts';

/** How soon a program that ended is started again, and what other processes changed, such as the command line, is seen. */
const AGAIN_MS = 2500;
/** Programs that start at a time. */
const STARTS = 4;
const EVENTS = new Set([
  ...['account.suspended', 'account.unsuspended', 'account.removed', 'account.moved'],
  ...['service.switched_on', 'service.switched_off'],
]);

/** Keeps the services that are switched on running, and no others. */
export class ServiceKeeper {
  readonly #host: Host;
  readonly #services: AccountServices;
  readonly #counts: ServiceCounts;
  #problem: () => string | undefined = () => undefined;

  constructor(host: Host, services: AccountServices, counts: ServiceCounts) {
    this.#host = host;
    this.#services = services;
    this.#counts = counts;
  }

  /** Why services are not as they should be; `undefined` if they are. */
  get problem(): string | undefined {
    return this.#problem();
  }

  /** Reconciles now, after events that concern services, and every few seconds; one run at a time. */
  start(): void {
    const wakers = eventWakers(this.#host, EVENTS);
    this.#problem = startReconciling({ ...this.#host, wakers, everyMs: AGAIN_MS, subject: 'services' }, (attempt) =>
      this.#reconcile(attempt),
    );
  }

  async #reconcile(attempt: AttemptPart): Promise<void> {
    const { accounts } = this.#host.identity;
    const { verbs } = this.#services;
    const running = await verbs.running(null);
    const there = new Set(running.map(programKey));
    const missing: (() => Promise<void>)[] = [];
    const wanted = new Set<string>();
    const on = new Set<string>();
    this.#counts.begin();
    for (const { accountId, service } of await switchedOn(this.#host.store)) {
      on.add(`${accountId}/${service}`);
      const account = await accounts.byId(accountId);
      const name = await this.#services.wanted(account, service);
      if (account === undefined || name === undefined) continue;
      wanted.add(`${accountId}/${service}`);
      this.#counts.add(service, 'on');
      if (there.has(`${accountId}/${name}`)) this.#counts.add(service, 'running');
      else missing.push(() => attempt(`${service} of ${account.username}`, () => this.#revive(account, service)));
    }
    const closed = new Set<number>();
    for (const { accountId, name } of running) {
      if (!accounts.isOpenHere(await accounts.byId(accountId))) closed.add(accountId);
      else if (!wanted.has(`${accountId}/${serviceNamed(name)}`))
        await attempt(`the program ${name} of the account ${accountId}`, () =>
          this.#services.stopUnwanted(accountId, serviceNamed(name)),
        );
    }
    for (const id of closed) await attempt(`services of the account ${id}`, () => verbs.end(id));
    for (const { accountId, service } of await verbs.stored())
      if (!on.has(`${accountId}/${service}`))
        await attempt(`what ${service} of the account ${accountId} has stored`, () =>
          this.#services.discardUnwanted(accountId, service),
        );
    for (let i = 0; i < missing.length; i += STARTS)
      await Promise.all(missing.slice(i, i + STARTS).map((start) => start()));
    this.#counts.end();
  }

  async #revive(account: Account, service: string): Promise<void> {
    try {
      await this.#services.revive(account, service);
      for (const what of ['running', 'restarts'] as const) this.#counts.add(service, what);
    } catch (error) {
      this.#counts.add(service, 'failing');
      throw error;
    }
  }
}
