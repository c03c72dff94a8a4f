import type { Host } from '../../../kernel/contract/plugin.ts';
import type { FullSize, LimitedDatabases } from '../../../kernel/areas/database-servers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { PostgresqlClient } from '../../../kernel/kit/databases/postgresql/client.ts';
import { readSizes } from '../../../kernel/kit/databases/postgresql/databases.ts';
import type { AccountServers } from '../server/account-servers.ts';
import type { Items, Owner } from '../items/items.ts';
import { endCustomers, readClock, readStates, setState, type FoundState, type State } from '../server/states.ts';
import { DatabaseSizes } from './database-sizes.ts';
import { StoppedAccounts, type Stage } from './stopped-accounts.ts';

const MIB = 2 ** 20;
const OPEN: State = { isReadOnly: false, isOpen: true };
const STATES: Readonly<Record<Stage, State>> = {
  read_only: { isReadOnly: true, isOpen: true },
  closed: { isReadOnly: true, isOpen: false },
};

/**
 * Who is beyond it has written on purpose: less comes of reading and emptying (maps of free space, the catalogue) and of tidying up, in
 * which the rows to keep are copied before the others go.
 */
const mark = (limitMib: number, leastBytes: number): number => 1.1 * Math.max(limitMib * MIB, leastBytes) + 16 * MIB;

interface Parts extends Pick<Host, 'store' | 'identity' | 'events'> {
  readonly servers: AccountServers;
  readonly items: Items;
}

/**
 * Stops the writing of accounts, and lets them write again. What is stopped there the server itself tells, so that each step can be repeated;
 * a row of the store says of whom, and goes with its account to another node.
 */
export class Writing implements LimitedDatabases {
  readonly #parts: Parts;
  readonly #accounts: StoppedAccounts;
  readonly #sizes: DatabaseSizes;
  /** Accounts that were far beyond their limit at the latest look. */
  readonly #far = new Set<number>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#accounts = new StoppedAccounts(parts);
    this.#sizes = new DatabaseSizes(parts);
  }

  isManaged(account: Pick<Account, 'username'>): boolean {
    return this.#parts.servers.nameFor(account) !== undefined;
  }

  async sizeBytes(account: Account): Promise<number> {
    const server = this.#parts.servers.nameFor(account);
    return server === undefined ? 0 : this.#sizes.at(server, account);
  }

  /** Resolves with how far an account is stopped; `undefined` if it is not. */
  async stage(account: Owner): Promise<Stage | undefined> {
    return (await this.#accounts.find(account))?.stage;
  }

  async isStopped(account: Owner): Promise<boolean> {
    return (await this.stage(account)) !== undefined;
  }

  stopped(): Promise<number[]> {
    return this.#accounts.ids();
  }

  async stopWriting(account: Account, { limitMib, bytes }: FullSize, isThorough: boolean): Promise<void> {
    const before = await this.#accounts.find(account);
    const leastBytes = Math.min(bytes, before?.leastBytes ?? bytes);
    const most = mark(limitMib, leastBytes);
    const isAsBefore = before?.endBefore !== '' && (before?.stage === 'closed') === bytes > most;
    if (before?.leastBytes === leastBytes && isAsBefore && !isThorough) return;
    await this.#at(account, async (main, names) => {
      const states = await readStates(main, names);
      const stage = (await this.#isFar(account, main, states, most, before?.stage === 'closed'))
        ? 'closed'
        : 'read_only';
      await this.#accounts.keep(account, stage, leastBytes, limitMib);
      await this.#bring(account, main, states, stage);
    });
  }

  async resumeWriting(account: Account, limitMib: number): Promise<void> {
    await this.#at(account, async (main, names) => {
      for (const each of await readStates(main, names)) await setState(main, each, OPEN);
      await endCustomers(main, names); // which would go on without writing
    });
    this.#far.delete(account.id);
    await this.#accounts.remove(account, limitMib);
  }

  /**
   * Whether databases have grown beyond `most`, at two looks in succession: a table that was written anew is there twice for a moment, also
   * after the server has told of it.
   */
  async #isFar(
    { id }: Account,
    main: PostgresqlClient,
    states: readonly FoundState[],
    most: number,
    isClosed: boolean,
  ): Promise<boolean> {
    const sizes = await readSizes(
      main,
      states.map(({ name }) => name),
    );
    const bytes = [...sizes.values()].reduce((sum, each) => sum + each, 0);
    if (isClosed) return bytes > most;
    const wasFar = this.#far.delete(id);
    if (bytes <= (states.some((each) => each.isRewritten) ? 2 : 1) * most) return false;
    this.#far.add(id);
    return wasFar;
  }

  /** Brings databases to a stage, and ends the sessions that began before, also those that were not seen yet when they were ended first. */
  async #bring(account: Account, main: PostgresqlClient, states: readonly FoundState[], stage: Stage): Promise<void> {
    const wanted = STATES[stage];
    const isAs = ({ isReadOnly, isOpen }: State) => isReadOnly === wanted.isReadOnly && isOpen === wanted.isOpen;
    let endBefore = (await this.#accounts.find(account))?.endBefore ?? '';
    if (endBefore === '' || !states.every(isAs)) {
      await this.#accounts.keepEndBefore(account, '');
      for (const each of states) await setState(main, each, wanted);
      endBefore = await readClock(main);
      await this.#accounts.keepEndBefore(account, endBefore);
    }
    const names = states.map(({ name }) => name);
    await endCustomers(main, names, wanted.isOpen ? endBefore : undefined);
  }

  /** Runs `work` with the names of an account's databases at its server; no request of the account delays it. */
  async #at(
    account: Account,
    work: (main: PostgresqlClient, names: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const { servers, items } = this.#parts;
    const server = servers.requireFor(account);
    const names = (await items.list(account, 'database'))
      .filter((each) => each.server === server)
      .map((each) => each.name);
    await servers.turns.judged(server, () => servers.open(server, ({ main }) => work(main, names)));
  }
}
