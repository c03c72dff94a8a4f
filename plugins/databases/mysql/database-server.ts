import { randomBytes } from 'node:crypto';
import { errorMessage } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { Polled } from '../../../kernel/kit/waiting/polled.ts';
import type { ServerSettings } from '../schema.ts';
import { MysqlClient, type QueryLimits } from './client.ts';
import { ServerCatalogue, type ListedDatabase, type SizeMethod } from './server-catalogue.ts';
import { readGrants, readListing } from './size-queries.ts';
import { TableSizes } from './table-sizes.ts';
import { fail } from '../errors.ts';

interface ServerOptions extends QueryLimits {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly refreshMs: number;
  /** Pause after a failure before the next attempt. */
  readonly retryMs: number;
  readonly log: Log;
}

/** All databases of a server at one moment, with the sizes that its listing shows. */
export interface ServerSnapshot {
  readonly catalogue: ServerCatalogue<ListedDatabase>;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
}

/**
 * A server that takes a second to answer is asked every ten seconds, so that sizes cost it at most a tenth of its time.
 */
const REST_FACTOR = 10;
const LONGEST_FRESH_MS = 10_000;
/** During a refresh, a snapshot is still served until its age is this many times `freshMs`. */
const STALE_FACTOR = 2;
/** How long after a failure callers are refused at once, instead of waiting for the next attempt. */
const KNOWN_DOWN_MS = 30_000;

/**
 * One server, queried once for all callers within a few seconds. Its connections are its own, so a slow server delays
 * no other.
 */
export class DatabaseServer {
  readonly name: string;
  readonly ownership: ServerSettings['ownership'];
  /** The sizes that the listing does not show. */
  readonly tables: TableSizes;
  readonly #options: ServerOptions;
  #client: Promise<MysqlClient> | undefined;
  readonly #snapshot: Polled<ServerSnapshot>;
  /** The method that worked last; reset with each new client. */
  #method: SizeMethod = 'files';
  #requests = 0;
  #isClosed = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.name = options.name;
    this.ownership = options.settings.ownership;
    this.tables = new TableSizes({ ...options, connect: () => this.#connect() });
    this.#snapshot = this.#pollSnapshot();
  }

  /** How often the server was asked for its sizes, and whether it answered last time. */
  get state(): { readonly requests: number; readonly isUp: boolean } {
    return { requests: this.#requests, isUp: this.#snapshot.isUp !== false };
  }

  /**
   * Returns a snapshot, a promise only where there is no recent one. Errors: 503 `databases_unavailable`, thrown at
   * once while the server is known to be down.
   */
  snapshot(): ServerSnapshot | Promise<ServerSnapshot> {
    return this.#snapshot.read();
  }

  /**
   * Makes a database and drops it, over a connection of its own. Rejects with a `SqlError` if the login may not, and with
   * other errors of the server.
   */
  async makeAndDrop(): Promise<void> {
    const client = await MysqlClient.open(this.#options.settings, this.#options);
    const name = `hostkeep_doctor_${randomBytes(6).toString('hex')}`;
    try {
      await client.query(`create database \`${name}\``);
      await client.query(`drop database \`${name}\``);
    } finally {
      await client.close();
    }
  }

  /**
   * Returns the server's version and how it reports sizes, over a connection of its own. Errors: those of the server.
   */
  async describe(): Promise<{ version: string; method: SizeMethod }> {
    const client = await MysqlClient.open(this.#options.settings, this.#options);
    try {
      const [row] = await client.query<{ version: string }>('select version() as version');
      const { method } = await readListing(client, this.ownership);
      return { version: row?.version ?? '?', method };
    } finally {
      await client.close();
    }
  }

  /** Rejects if the server does not answer, or refuses the login. */
  async ping(): Promise<void> {
    const client = await this.#connect();
    await client.query('do 1');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#disconnect();
  }

  /** Returns the client of all requests. It opens all its connections at once, before customers take the last ones. */
  #connect(): Promise<MysqlClient> {
    if (this.#isClosed) return Promise.reject(new Error('the server is stopping'));
    if (this.#client === undefined) {
      const client = this.#open();
      this.#client = client;
      // rejects for its callers, and the next one tries again
      client.catch(() => {
        if (this.#client === client) this.#client = undefined;
      });
    }
    return this.#client;
  }

  async #open(): Promise<MysqlClient> {
    const client = await MysqlClient.open(this.#options.settings, this.#options);
    await client.reserve();
    return client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client?.catch(() => undefined))?.close(); // none was open
  }

  #pollSnapshot(): Polled<ServerSnapshot> {
    const { log, refreshMs, retryMs } = this.#options;
    const server = this.name;
    const freshMs = (tookMs: number) => Math.min(Math.max(refreshMs, tookMs * REST_FACTOR), LONGEST_FRESH_MS);
    return new Polled({
      measure: () => this.#read(),
      freshMs,
      staleMs: (tookMs) => freshMs(tookMs) * STALE_FACTOR,
      retryMs,
      knownDownMs: KNOWN_DOWN_MS,
      failed: (cause) =>
        fail.databases_unavailable('the database server does not answer at the moment', {
          retryAfterSeconds: retryMs / 1000,
          cause: new Error(`${server}: ${errorMessage(cause)}`, { cause }),
        }),
      onStateChange: (error) => {
        if (error === undefined) log.info({ server }, 'the database server answers again');
        else log.warn({ server, err: error }, 'the database server does not answer');
      },
    });
  }

  /** After a failure, closes the client: the next one reads the option file again, and tries sizes of files again. */
  async #read(): Promise<ServerSnapshot> {
    this.#requests += 1;
    const takenAt = Date.now();
    try {
      const client = await this.#connect();
      const { databases, method } = await readListing(client, this.ownership, this.#method);
      const grants = this.ownership === 'grants' ? await readGrants(client) : [];
      this.#method = method;
      this.tables.keepOnly(databases);
      return { catalogue: new ServerCatalogue(databases, grants), takenAt };
    } catch (error) {
      this.#method = 'files';
      await this.#disconnect();
      throw error;
    }
  }
}
