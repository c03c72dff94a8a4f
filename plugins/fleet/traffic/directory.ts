import type { Log } from '../../../kernel/log.ts';
import type { Reader } from '../../../kernel/storage/store.ts';
import { changes, members, type Member } from '../store.ts';

/** How soon a change on another node is noticed. */
const POLL_MS = 1000;

interface DirectoryParts {
  readonly store: Reader;
  readonly log: Log;
  /** Called after each change of members or secrets, with the members already known; rejections are logged, and it is called again. */
  readonly changed: () => Promise<void>;
}

/** The members of the fleet, as this process knows them. */
export class Directory {
  readonly #parts: DirectoryParts;
  readonly #timer: NodeJS.Timeout;
  #members: ReadonlyMap<string, Member> = new Map();
  #known = -1;
  #reading: Promise<void> | undefined;
  #isReadable = true;

  private constructor(parts: DirectoryParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.refresh(), POLL_MS).unref();
  }

  /** Resolves once the members were read, or could not be. */
  static async start(parts: DirectoryParts): Promise<Directory> {
    const directory = new Directory(parts);
    await directory.refresh();
    return directory;
  }

  get(name: string): Member | undefined {
    return this.#members.get(name);
  }

  get all(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** Resolves with a member; asks the store for one that is not known yet. */
  async find(name: string): Promise<Member | undefined> {
    if (!this.#members.has(name)) await this.refresh();
    return this.#members.get(name);
  }

  /** Whether a key is that of a member. */
  hasKey(name: string, keyDigest: string): boolean {
    return this.#members.get(name)?.keyDigest === keyDigest;
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
    await this.#reading;
  }

  async #refresh(): Promise<void> {
    const now = await changes(this.#parts.store);
    if (now === this.#known) return;
    const list = await members(this.#parts.store);
    this.#members = new Map(list.map((member) => [member.name, member]));
    await this.#parts.changed();
    this.#known = now;
  }
}
