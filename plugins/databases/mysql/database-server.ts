import { messageOf, retryLater, type HttpError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { MysqlClient, type QueryLimits } from './client.ts';
import { ServerCatalogue } from './server-catalogue.ts';
import type { ServerSettings } from '../schema.ts';
import { readGrants, readSizes, type Method } from './size-queries.ts';

export interface ServerOptions extends QueryLimits {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly refreshMs: number;
  /** How long it is left alone when it failed. */
  readonly retryMs: number;
  readonly log: Log;
}

/** All databases of a server at one moment. */
export interface ServerSnapshot {
  readonly catalogue: ServerCatalogue;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
}

interface Kept {
  readonly sample: ServerSnapshot;
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  readonly freshMs: number;
}

/** A server that takes a second to tell its sizes is asked every ten: asking never costs it more than a tenth of its time. */
const REST_FACTOR = 10;
const LONGEST_FRESH_MS = 10_000;
/** While newer sizes are on their way, those that are this many times older than fresh ones are still told. */
const STALE_FACTOR = 2;
/** How long nobody is made to wait for a server that failed. */
const KNOWN_DOWN_MS = 30_000;

/** One server, asked once for all who ask within a few seconds. Each has its own connections, so that a slow one delays no other. */
export class DatabaseServer {
  readonly name: string;
  readonly ownership: ServerSettings['ownership'];
  readonly #options: ServerOptions;
  #client: MysqlClient | undefined;
  #kept: Kept | undefined;
  #flight: Promise<ServerSnapshot> | undefined;
  #failure: { readonly at: number; readonly error: unknown } | undefined;
  /** How sizes were last told; asked anew on every new connection. */
  #method: Method = 'files';
  #samples = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.name = options.name;
    this.ownership = options.settings.ownership;
  }

  /** How often it was asked, and whether it answered last. */
  get figures(): { readonly samples: number; readonly isUp: boolean } {
    return { samples: this.#samples, isUp: this.#failure === undefined };
  }

  /** At once where it is known, else when the server has told. Errors: 503 `databases_unavailable`, at once while the server is known to be down. */
  sample(): ServerSnapshot | Promise<ServerSnapshot> {
    const now = performance.now();
    const kept = this.#kept;
    if (kept !== undefined && now - kept.at < kept.freshMs) return kept.sample;
    const flight = this.#ask(now);
    if (kept !== undefined && now - kept.at < kept.freshMs * STALE_FACTOR) return kept.sample;
    if (flight === undefined || this.#isKnownDown(now)) throw this.#unavailable(this.#failure?.error);
    return flight;
  }

  /** Version of the server and how it tells sizes, from a connection of its own. Errors: those of the server. */
  async describe(): Promise<{ version: string; method: Method }> {
    const client = await MysqlClient.open(this.#options.settings, this.#options);
    try {
      const [row] = await client.query<{ version: string }>('select version() as version');
      const { method } = await readSizes(client);
      return { version: row?.version ?? '?', method };
    } finally {
      await client.close();
    }
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  /** `undefined` while the server is left alone. A flight's failure is kept, so that nobody need wait for it. */
  #ask(now: number): Promise<ServerSnapshot> | undefined {
    if (this.#flight !== undefined) return this.#flight;
    if (this.#failure !== undefined && now - this.#failure.at < this.#options.retryMs) return undefined;
    this.#flight = this.#read(now).finally(() => (this.#flight = undefined));
    this.#flight.catch(() => undefined); // `#read` has told the log
    return this.#flight;
  }

  async #read(startedAt: number): Promise<ServerSnapshot> {
    this.#samples += 1;
    const takenAt = Date.now();
    try {
      const client = (this.#client ??= await MysqlClient.open(this.#options.settings, this.#options));
      const { databases, method } = await readSizes(client, this.#method);
      const grants = this.ownership === 'grants' ? await readGrants(client) : [];
      this.#method = method;
      return this.#keep({ catalogue: new ServerCatalogue(databases, grants), takenAt }, startedAt);
    } catch (error) {
      await this.#fail(error);
      throw this.#unavailable(error);
    }
  }

  #keep(sample: ServerSnapshot, startedAt: number): ServerSnapshot {
    const at = performance.now();
    this.#kept = {
      sample,
      at,
      freshMs: Math.min(Math.max(this.#options.refreshMs, (at - startedAt) * REST_FACTOR), LONGEST_FRESH_MS),
    };
    if (this.#failure !== undefined) this.#options.log.info({ server: this.name }, 'the database server answers again');
    this.#failure = undefined;
    return sample;
  }

  /** The client goes, so that the next one reads the option file again and asks for real sizes again. */
  async #fail(error: unknown): Promise<void> {
    if (this.#failure === undefined)
      this.#options.log.warn({ server: this.name, err: error }, 'the database server does not answer');
    this.#failure = { at: performance.now(), error };
    this.#method = 'files';
    const client = this.#client;
    this.#client = undefined;
    await client?.close();
  }

  #isKnownDown(now: number): boolean {
    return this.#failure !== undefined && now - this.#failure.at < KNOWN_DOWN_MS;
  }

  #unavailable(cause: unknown): HttpError {
    return retryLater(
      'databases_unavailable',
      'the database server does not answer at the moment',
      this.#options.retryMs / 1000,
      new Error(`${this.name}: ${messageOf(cause)}`, { cause }),
    );
  }
}
