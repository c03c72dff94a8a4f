import type { TextKey } from 'hostkeep:text-keys';

/** The rights of a user on a database, as people choose them. */
export const LEVELS = ['all', 'write', 'read'] as const;
export type Level = (typeof LEVELS)[number];

export interface ListedDatabases {
  readonly databases: readonly { readonly name: string; readonly sizeBytes: number | undefined }[];
  /** Why sizes are not known. */
  readonly sizesError?: unknown;
  /** 0 = unlimited. */
  readonly limit: number;
  /** Of all together; 0 = unlimited. */
  readonly limitBytes: number;
  /** Where that is reached, so that users can only read and delete at most: what to do. */
  readonly noSpaceAbout: TextKey | undefined;
  /** The beginning of all names. */
  readonly prefix: string;
  /** How applications reach the server; `null` if nothing is managed here. */
  readonly server: { readonly host: string; readonly port: number; readonly socket: string } | null;
}

export interface ListedUser {
  readonly name: string;
  /** Where it connects from; `''` if that is not its own. */
  readonly host: string;
  readonly isLocked: boolean;
  readonly access: readonly { readonly database: string; readonly level: Level | 'other' }[];
}

/** A user with its password, which is shown once. */
export interface UserWithPassword {
  readonly name: string;
  readonly host: string;
  readonly password: string;
}

export interface Process {
  readonly id: number;
  readonly user: string;
  readonly statement: string;
  /** Shown where there is no statement. */
  readonly state: string;
  readonly seconds: number;
}

export interface QueriedRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly truncated: boolean;
  readonly ms: number;
}

export interface ListedTable {
  /** With its schema, unless that is the usual one. */
  readonly name: string;
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table';
  /** The storage engine, at a server that has several. */
  readonly engine?: string;
  /** An estimate. */
  readonly rows: number;
  readonly sizeBytes: number;
}

export interface ListedTables {
  readonly tables: readonly ListedTable[];
  /** Of all tables, also those that are not listed. */
  readonly total: number;
}

/** A kind of work on the tables of a database. */
export type Maintenance = 'optimize' | 'check' | 'repair';

export interface MaintainedTables {
  readonly tables: readonly { readonly table: string; readonly status: string; readonly text: string }[];
  /** Of all tables, also those that were not reached. */
  readonly total: number;
}

type NamedUser = Pick<ListedUser, 'name' | 'host'>;

/** A kind of database servers: its API, and the words that are its own. */
export interface DatabaseEngine {
  /** Tells its queries from those of other kinds. */
  readonly name: string;
  readonly texts: Readonly<
    Record<'title' | 'about' | 'elsewhere' | 'elsewhereAbout' | 'queryAbout' | 'dump' | 'hostAbout', TextKey>
  >;
  readonly mayImport: () => boolean;
  /** Whether a user can be given a host to connect from, other than that of the account's applications. */
  readonly mayChooseHost: () => boolean;
  list(signal: AbortSignal): Promise<ListedDatabases>;
  create(name: string): Promise<{ readonly name: string }>;
  drop(database: string): Promise<unknown>;
  tables(database: string, signal: AbortSignal): Promise<ListedTables>;
  exportPath(database: string): string;
  importPath(database: string): string;
  query(database: string, statement: string): Promise<QueriedRows>;
  maintain(database: string, action: Maintenance, signal: AbortSignal): Promise<MaintainedTables>;
  users(signal: AbortSignal): Promise<readonly ListedUser[]>;
  /** `host`: where it connects from; that of the account's applications unless given. */
  createUser(name: string, host?: string): Promise<UserWithPassword>;
  renewPassword(user: NamedUser): Promise<UserWithPassword>;
  dropUser(user: NamedUser): Promise<unknown>;
  setAccess(user: NamedUser, database: string, level: Level): Promise<unknown>;
  revokeAccess(user: NamedUser, database: string): Promise<unknown>;
  processes(signal: AbortSignal): Promise<readonly Process[]>;
  endProcess(id: number): Promise<unknown>;
}
