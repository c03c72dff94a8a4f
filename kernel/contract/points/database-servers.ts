/** The service of the plugin that keeps accounts' databases, for the one that moves them. */
export interface DatabaseServers {
  /** Whether the settings have no server. */
  readonly isEmpty: boolean;
  /** Returns the server of an account; `undefined` where its databases are files. */
  serverFor(username: string): ServerAccess | undefined;
  /** Returns a server by its name in the settings; `undefined` if there is none. */
  named(name: string): ServerAccess | undefined;
  /** Takes over the move of databases on servers, which are in the way of an account's move otherwise. */
  takeMoves(): void;
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
  ownNames(client: DatabaseClient, username: string): Promise<OwnNames>;
}

/** How to reach a server, and as whom; the socket is used if there is one. */
export interface ServerLogin {
  readonly socket: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** A list stands for its members, separated by commas. */
export type SqlParameter = string | number | Uint8Array | readonly Uint8Array[];

/** Connections to one server, in an empty SQL mode. */
export interface DatabaseClient {
  /** Bytes are written as `X'…'`. `limitMs` shortens the time limit of the connection. */
  query<T>(sql: string, params?: readonly SqlParameter[], limitMs?: number): Promise<T[]>;
  close(): Promise<void>;
}

/** Which databases of a server are an account's, now and by the rule of the server. */
export interface OwnNames {
  readonly databases: readonly string[];
  /** Whether the rule, where there is one, gives a database of this name to the account. */
  allows(name: string): boolean;
  /** Says what a grant on a name, or on a pattern of `mysql.db`, means; `all` are the names of all databases of the server. */
  readGrant(text: string, isPattern: boolean, all: readonly string[]): OwnGrant;
  /** Returns the same rule with other databases. */
  withDatabases(databases: readonly string[]): OwnNames;
}

export interface OwnGrant {
  /** Whether it concerns a database of the account. */
  readonly isConcerned: boolean;
  /** Patterns for the account's databases alone; absent if it concerns others, too. */
  readonly patterns?: readonly string[];
}
