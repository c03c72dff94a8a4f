import type { Host } from '../../kernel/contract/plugin.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import { startReconciling, type AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';
import type { AccountServices } from './account-services.ts';
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
  #problem: () => string | undefined = () => undefined;

  constructor(host: Host, services: AccountServices) {
    this.#host = host;
    this.#services = services;
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
    const there = new Set(running.map(({ accountId, name }) => `${accountId}/${name}`));
    const missing: (() => Promise<void>)[] = [];
    const wanted = new Set<string>();
    for (const { accountId, service } of await switchedOn(this.#host.store)) {
      const account = await accounts.byId(accountId);
      const name = this.#services.wanted(account, service);
      if (account === undefined || name === undefined) continue;
      wanted.add(`${accountId}/${service}`);
      if (!there.has(`${accountId}/${name}`))
        missing.push(() => attempt(`${service} of ${account.username}`, () => this.#services.revive(account, service)));
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
    for (let i = 0; i < missing.length; i += STARTS)
      await Promise.all(missing.slice(i, i + STARTS).map((start) => start()));
  }
}
