import type { Account } from '../../kernel/identity/accounts/account.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { keepSample, readSamples, type Measured } from './store.ts';

/** How old a measurement becomes before it is renewed, while operators ask. */
const AGE_MS = 86_400_000;
/** Measurements that a customer's look causes more often are written if they say something else. */
const REST_MS = 600_000;
/** One account in this time: ten a minute take less than a second of the processor. */
const PACE_MS = 6000;

interface Options extends Pick<Host, 'local' | 'identity' | 'log'> {
  readonly measure: (account: Account) => Promise<Measured>;
  /** How long after an account stored something it is measured. */
  readonly writerMs: number;
}

/**
 * The newest measurements of all accounts, which outlive the server. Those that are missing or a day old are renewed in the
 * background, one after another, once somebody has asked for them.
 */
export class UsageSamples {
  readonly #options: Options;
  readonly #due = new Map<number, Account>();
  /** Accounts that stored something since they were measured. */
  readonly #writers = new Map<number, NodeJS.Timeout>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Resolves with what is known, by the account's id. */
  async of(accounts: readonly Account[]): Promise<Map<number, Measured>> {
    const known = await readSamples(this.#options.local, idsOf(accounts));
    const oldest = Date.now() - AGE_MS;
    for (const account of accounts) if ((known.get(account.id)?.at ?? 0) < oldest) this.#due.set(account.id, account);
    if (this.#due.size > 0 && this.#timer === undefined && !this.#isClosed) this.#start();
    return known;
  }

  /** Resolves with the same of accounts that are about to store something, which are measured once that is there. */
  async ofWriters(accounts: readonly Account[]): Promise<Map<number, Measured>> {
    const known = await readSamples(this.#options.local, idsOf(accounts));
    for (const account of accounts) this.#measureSoon(account, known.has(account.id) ? this.#options.writerMs : 0);
    return known;
  }

  /** Measures an account now, and keeps the result. */
  async measure(account: Account): Promise<Measured> {
    const measured = await this.#options.measure(account);
    this.#due.delete(account.id);
    await keepSample(this.#options, account, measured, REST_MS);
    return measured;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const timer of this.#writers.values()) clearTimeout(timer);
    await this.#running;
  }

  #measureSoon(account: Account, afterMs: number): void {
    if (this.#isClosed || this.#writers.has(account.id)) return;
    const measure = async () => {
      await this.measure(account).catch((err: unknown) => this.#failed(account, err));
      this.#writers.delete(account.id);
    };
    this.#writers.set(account.id, setTimeout(() => void measure(), afterMs).unref());
  }

  #failed({ username }: Account, err: unknown): void {
    this.#options.log.debug({ account: username, err }, 'cannot measure an account');
  }

  #start(): void {
    this.#timer = setInterval(() => void this.#step(), PACE_MS).unref();
    void this.#step();
  }

  async #step(): Promise<void> {
    if (this.#running !== undefined) return;
    const [next] = this.#due.values();
    if (next === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#due.delete(next.id);
    this.#running = this.measure(next).then(
      () => undefined,
      (err: unknown) => this.#failed(next, err),
    );
    await this.#running;
    this.#running = undefined;
  }
}

const idsOf = (accounts: readonly Account[]) => accounts.map(({ id }) => id);
