import type { Account } from '../identity/accounts/account.ts';
import type { ServerLogin } from '../kit/databases/mariadb-programs.ts';
import { isSqlError, type UserName } from '../kit/databases/mysql-text.ts';
import type { PostgresqlLogin } from '../kit/databases/postgresql/client.ts';
import type { ServerConnections, UserLimits } from '../kit/databases/postgresql/roles.ts';

/** The kernel's service that asks providers of `databasesElsewhere`. */
interface Asking {
  gather(
    point: 'databasesElsewhere',
    account: Account,
    engine: string,
  ): Promise<
    readonly ({ readonly ok: true; readonly value: number } | { readonly ok: false; readonly error: unknown })[]
  >;
}

/**
 * Resolves with how many databases an account has at servers of other kinds, those included that are being made: so a limit holds for
 * all together if each kind keeps that it makes one before it asks. Rejects if one kind does not answer.
 */
export async function countElsewhere({ gather }: Asking, account: Account, engine: string): Promise<number> {
  const parts = await gather('databasesElsewhere', account, engine);
  return parts.reduce((sum, part) => {
    if (!part.ok) throw part.error;
    return sum + part.value;
  }, 0);
}

/** The service of the plugin that knows the servers of accounts' databases, for those that move or manage them. */
export interface DatabaseServers {
  /** Of the servers in the settings. */
  readonly names: readonly string[];
  /** Returns the server of an account; `undefined` where its databases are files. */
  serverFor(username: string): ServerAccess | undefined;
  /** Returns a server by its name in the settings; `undefined` if there is none. */
  named(name: string): ServerAccess | undefined;
  /** Resolves with the size of an account's databases, as it was measured last. Errors: 503 `databases_unavailable`. */
  sizeBytes(account: Account): Promise<number>;
  /** Takes over the move of databases on servers, which are in the way of an account's move otherwise. */
  takeMoves(): void;
}

/**
 * The service of the plugin that manages databases on servers of MariaDB, for one that sets what holds for an account's databases and
 * their users.
 */
export interface ManagedDatabases {
  /** Whether an account has a server where databases are managed. */
  isManaged(account: Pick<Account, 'id' | 'username'>): boolean;
  /** Runs `work` after what else is done for the account at its server. Errors: 409 `databases_not_managed`, those of the server. */
  with<T>(account: Pick<Account, 'id' | 'username'>, work: (server: ManagedServer) => Promise<T>): Promise<T>;
}

/** The service of the plugin that manages databases on servers of MariaDB, for one that brings database users from elsewhere. */
export interface ManagedUsers extends ManagedDatabases {
  /** All does as the routes do, and rejects as they do. */
  readonly users: {
    /** Resolves with those that the account knows, and their rights on whole databases. */
    list(account: Account): Promise<readonly KnownUser[]>;
    /** `name` follows the prefix of the account. Resolves with the whole one; nobody is told the password. */
    create(account: Account, user: UserName, ip: string): Promise<UserName>;
    setAccess(
      account: Account,
      user: UserName,
      database: string,
      privileges: readonly string[],
      ip: string,
    ): Promise<void>;
  };
}

/** The service of the plugin that manages databases on servers of MariaDB, for one that gives applications their logins. */
export interface ApplicationLogins extends ManagedDatabases {
  /** Where the account's applications connect from, as the server names it. */
  readonly clientHost: string;
  readonly users: Pick<ManagedUsers['users'], 'list' | 'setAccess'> & {
    /** `name` follows the prefix of the account. Resolves with the whole one, which connects from `clientHost`. */
    create(account: Account, user: { readonly name: string; readonly password: string }, ip: string): Promise<UserName>;
    renewPassword(account: Account, user: UserName & { readonly password: string }, ip: string): Promise<UserName>;
    drop(account: Account, user: UserName, ip: string): Promise<void>;
  };
}

export interface KnownUser extends UserName {
  readonly access: readonly { readonly database: string; readonly privileges: readonly string[] }[];
}

/** The size that databases have reached. */
export interface FullSize {
  readonly limitMib: number;
  readonly bytes: number;
}

/** The service of a plugin that manages databases on servers of one kind, for the one that keeps them within the size of plans. */
export interface LimitedDatabases extends Pick<ManagedDatabases, 'isManaged'> {
  /** Resolves with the size of an account's databases, as it was measured last. Errors: 503 `databases_unavailable`. */
  sizeBytes(account: Account): Promise<number>;
  /** Resolves with the accounts whose writing is stopped, or was until a process died that let it go on. */
  stopped(): Promise<number[]>;
  /**
   * Stops what makes the databases of an account grow, and closes the connections of their users. `isThorough`: also what has come since.
   * Can be repeated. Errors: 409 `request_in_progress`, those of the server.
   */
  stopWriting(account: Account, size: FullSize, isThorough: boolean): Promise<void>;
  /** Lets them write again, as before. Can be repeated. Errors: 409 `request_in_progress`, those of the server. */
  resumeWriting(account: Account, limitMib: number): Promise<void>;
}

/** A connection to the server of an account, with the login in the settings, and what is the account's there. */
export interface ManagedServer {
  readonly client: DatabaseClient;
  /** Sorted. */
  readonly databases: readonly string[];
  /** Those that the account knows, sorted: neither the operator's nor those that are made for a while. */
  readonly users: readonly UserName[];
}

/** A server of MySQL or MariaDB, with the login in the settings. */
export interface ServerAccess {
  readonly name: string;
  /** How an account's databases are found. */
  readonly ownership: string;
  login(): Promise<ServerLogin>;
  /** Resolves with a client, which the caller closes. With one connection, that one is there for all its statements. */
  open(options: {
    readonly queryMs: number;
    readonly connections?: number | undefined;
    /** A login other than that in the settings. */
    readonly as?: Pick<ServerLogin, 'user' | 'password'> | undefined;
  }): Promise<DatabaseClient>;
  /** With `among`, only these are looked for where names say whose they are: to list thousands takes a server long. */
  ownNames(client: DatabaseClient, username: string, among?: readonly string[]): Promise<OwnNames>;
}

/** Runs `work` with a client, and closes it. */
export async function connected<T>(
  access: ServerAccess,
  options: Parameters<ServerAccess['open']>[0],
  work: (client: DatabaseClient) => Promise<T>,
): Promise<T> {
  const client = await access.open({ connections: 1, ...options });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The server refuses a login: its password, its way to log in, a lock, or a password that has to be changed. */
const REFUSED: ReadonlySet<number> = new Set([1045, 1698, 1820, 1862, 4151]);

/** Logs in as an application does. Resolves with what becomes of that. Errors: other ones of the server, as they are. */
export async function tryLogin(
  access: ServerAccess,
  as: Pick<ServerLogin, 'user' | 'password'>,
  { database, queryMs }: { readonly database: string; readonly queryMs: number },
): Promise<'valid' | 'refused' | 'no_rights'> {
  const sql = 'select 1 from information_schema.schemata where schema_name = ?';
  try {
    const seen = await connected(access, { queryMs, as }, (client) => client.query(sql, [database]));
    return seen.length > 0 ? 'valid' : 'no_rights';
  } catch (error) {
    if (isSqlError(error) && REFUSED.has(error.errno)) return 'refused';
    throw error;
  }
}

/** A list stands for its members, separated by commas. */
export type SqlParameter = string | number | Uint8Array | readonly Uint8Array[];

/** Connections to one server, in an empty SQL mode. */
export interface DatabaseClient {
  /** Bytes are written as `X'…'`. `limitMs` shortens the time limit of the connection. */
  query<T>(sql: string, params?: readonly SqlParameter[], limitMs?: number): Promise<T[]>;
  /** Runs what a customer wrote: resolves with the first rows, each value as the server sends it, and leaves the rest unread. */
  table(sql: string, limits: TableLimits): Promise<SqlTable>;
  close(): Promise<void>;
}

export interface TableLimits {
  readonly ms: number;
  readonly rows: number;
  readonly bytes: number;
}

/** The result of a statement; without columns if it has none. */
export interface SqlTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (Buffer | null)[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
}

/** Which databases of a server are an account's, now and by the rule of the server. */
export interface OwnNames {
  readonly databases: readonly string[];
  /** The beginning of all names that the rule gives to the account; empty where there is no such rule. */
  readonly prefix: string;
  /** Whether the rule, where there is one, gives a database of this name to the account. */
  allows(name: string): boolean;
  /** Says what a grant on a name, or on a pattern of `mysql.db`, means; `all` are the names of all databases of the server. */
  readGrant(text: string, isPattern: boolean, all: readonly string[]): OwnGrant;
  /**
   * Resolves with the database users that have rights on databases that are, or by the rule would be, the account's, and with
   * those whose names begin as the rule says.
   */
  usersIn(client: DatabaseClient): Promise<RightHolder[]>;
  /** Returns the same rule with other databases. */
  withDatabases(databases: readonly string[]): OwnNames;
}

/** A database user with rights on databases of an account, or with its prefix. */
export interface RightHolder {
  readonly name: string;
  readonly host: string;
  /** Whether it has no rights on databases of others; it may have global ones. */
  readonly isOwn: boolean;
}

export interface OwnGrant {
  /** Whether it concerns a database of the account. */
  readonly isConcerned: boolean;
  /** The account's databases that it is about. */
  readonly databases: readonly string[];
  /** Patterns for the account's databases alone; absent if it concerns others, too. */
  readonly patterns?: readonly string[];
}

/** The service of the plugin that manages databases on servers of PostgreSQL, for the one that moves them. */
export interface PostgresqlServers {
  /** Of every database user that is made. */
  readonly limits: UserLimits;
  readonly connectMs: number;
  /** Returns the name of an account's server in the settings; `undefined` if it has none. */
  serverFor(username: string): string | undefined;
  /** Runs `work` with connections to a server, by the login in the settings. Errors: those of the server as they are. */
  open<T>(server: string, work: (connections: ServerConnections) => Promise<T>): Promise<T>;
  login(server: string): PostgresqlLogin;
  /** Resolves with what the store says is an account's, sorted by name. */
  items(account: Pick<Account, 'id'>): Promise<PostgresqlItem[]>;
  /** Takes over the move of databases and users, which are in the way of an account's move otherwise. */
  takeMoves(): void;
}

export interface PostgresqlItem {
  /** Its name in the settings. */
  readonly server: string;
  readonly kind: 'database' | 'user';
  readonly name: string;
  /** Whether it cannot log in, as its account is suspended. */
  readonly isLocked: boolean;
  /** Whether it is being made, changed or dropped. */
  readonly isChanging: boolean;
}

/** The service of the plugin that manages databases on servers of MariaDB, for one that opens them in a tool for a while. */
export interface DatabaseSessions extends Pick<ManagedDatabases, 'isManaged'> {
  /**
   * Gives the account's user of such sessions a new password, and rights on each database that it has now; an earlier session is over.
   * Resolves with how to log in. Errors: 409 `databases_not_managed`, those of the server.
   */
  open(account: Pick<Account, 'id' | 'username'>): Promise<ServerLogin>;
  /** Drops that user, and ends what it does. Does nothing where there is none. Errors: those of the server. */
  close(account: Pick<Account, 'id' | 'username'>): Promise<void>;
}
