import { topic } from '../../../kernel/contract/workers.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Reader } from '../../../kernel/store/store.ts';
import { changes, members, type Member } from '../store.ts';

/** How soon a change on another node is noticed. */
const POLL_MS = 1000;
/** A process that hears nothing for so long from the one that looks for all does so itself. */
const QUIET_MS = 2500;
const CHANGES = topic<number>('fleet members');

interface DirectoryParts extends Pick<Host, 'workers'> {
  readonly store: Reader;
  readonly log: Log;
  /** Called after each change of members or secrets, with the members already known; rejections are logged, and it is called again. */
  readonly changed: () => Promise<void>;
}

/** The members of the fleet, as this process knows them. One process of a node looks whether they change, and tells the others. */
export class Directory {
  readonly #parts: DirectoryParts;
  readonly #timer: NodeJS.Timeout;
  #members: ReadonlyMap<string, Member> = new Map();
  #known = -1;
  #leads = false;
  #heardMs = Number.NEGATIVE_INFINITY;
  readonly #stopHearing: () => void;
  #reading: Promise<void> | undefined;
  #isReadable = true;

  private constructor(parts: DirectoryParts) {
    this.#parts = parts;
    this.#stopHearing = parts.workers.subscribe(CHANGES, (n) => {
      this.#heardMs = performance.now();
      if (n !== this.#known) void this.refresh();
    });
    this.#timer = setInterval(() => {
      if (this.#leads || performance.now() - this.#heardMs > QUIET_MS) void this.refresh();
    }, POLL_MS).unref();
  }

  /** Resolves once the members were read, or could not be. */
  static async start(parts: DirectoryParts): Promise<Directory> {
    const directory = new Directory(parts);
    await directory.refresh();
    return directory;
  }

  /** Looks for all processes of the node from now on. */
  lead(): void {
    this.#leads = true;
  }

  get(name: string): Member | undefined {
    return this.#members.get(name);
  }

  get all(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** Resolves with a member; asks the store for one that is not known yet. */
  async find(name: string): Promise<Member | undefined> {
    await this.#readUntil(() => this.#members.has(name));
    return this.#members.get(name);
  }

  /** Whether a key is that of a member, as far as this process knows. */
  hasKey(name: string, keyDigest: string): boolean {
    return this.#members.get(name)?.keyDigest === keyDigest;
  }

  /** Resolves with whether a key is that of a member; asks the store about one that is not known yet. */
  async findKey(name: string, keyDigest: string): Promise<boolean> {
    await this.#readUntil(() => this.hasKey(name, keyDigest));
    return this.hasKey(name, keyDigest);
  }

  /** Reads what has changed. Never rejects: without an answer, what was known stays. */
  refresh(): Promise<void> {
    return (this.#reading ??= this.#refresh()
      .then(() => (this.#isReadable = true))
      .catch((error: unknown) => {
        if (this.#isReadable)
          this.#parts.log.error({ err: error }, 'the nodes of the fleet cannot be read; will retry');
        this.#isReadable = false;
      })
      .then(() => void (this.#reading = undefined)));
  }

  /** Resolves once nothing is being read any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopHearing();
    await this.#reading;
  }

  async #readUntil(isKnown: () => boolean): Promise<void> {
    if (!isKnown()) await this.#reading; // which may have begun before the node joined
    if (!isKnown()) await this.refresh();
  }

  async #refresh(): Promise<void> {
    const now = await changes(this.#parts.store);
    if (this.#leads) this.#parts.workers.publish(CHANGES, now);
    if (now === this.#known) return;
    const list = await members(this.#parts.store);
    this.#members = new Map(list.map((member) => [member.name, member]));
    await this.#parts.changed();
    this.#known = now;
  }
}
