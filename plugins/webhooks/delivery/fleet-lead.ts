import { errorMessage } from '../../../kernel/errors.ts';
import { LogThrottle, type Log } from '../../../kernel/log.ts';
import type { Lease, Leases } from '../../../kernel/store/lease.ts';

const LEASE = 'webhooks';
/** How long the others wait for the node that leads. */
const LEASE_MS = 6000;
/** How often a node tries to lead, and looks whether it still does. */
const LOOK_MS = 1000;

/** Decides which node of a fleet delivers: the one that has the lease. */
export class FleetLead {
  readonly #leases: Leases;
  readonly #log: Log;
  readonly #throttle = new LogThrottle();
  readonly #onLead: () => void;
  readonly #timer: NodeJS.Timeout;
  #lease: Lease | undefined;
  #wasLeading = false;
  #trying: Promise<void> | undefined;

  /** `onLead` is called whenever this node begins to lead. */
  constructor(parts: { readonly leases: Leases; readonly log: Log; readonly onLead: () => void }) {
    this.#leases = parts.leases;
    this.#log = parts.log;
    this.#onLead = parts.onLead;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
    this.#look();
  }

  get isLeading(): boolean {
    return this.#lease?.isHeld === true;
  }

  /** Lets another node lead at once. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#trying;
    await this.#lease?.release();
  }

  #look(): void {
    this.#trying ??= this.#try()
      .catch((error: unknown) => {
        if (this.#throttle.isDue('lease'))
          this.#log.warn({ err: error }, `it is not known which node delivers webhooks: ${errorMessage(error)}`);
      })
      .finally(() => (this.#trying = undefined));
  }

  async #try(): Promise<void> {
    if (this.#lease === undefined || this.#lease.signal.aborted)
      this.#lease = await this.#leases.acquire(LEASE, LEASE_MS);
    const wasLeading = this.#wasLeading;
    this.#wasLeading = this.isLeading;
    if (!wasLeading && this.#wasLeading) this.#onLead();
  }
}
