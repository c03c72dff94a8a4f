/**
 * Messages between the two ends of a move about databases of PostgreSQL, and checks of what another node says: it may be in foreign hands, and
 * its texts become statements that a superuser runs. All errors of the checks are 400 `invalid_request`.
 */
import { LEVELS } from '../../kernel/kit/databases/postgresql/names.ts';
import { readBoolean, readInteger, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';

export interface MovedUser {
  readonly name: string;
  /** Kept by the server in the place of its password; `null` if it has none. */
  readonly verifier: string | null;
}
export interface MovedAccess {
  readonly user: string;
  readonly database: string;
  readonly level: (typeof LEVELS)[number];
}

/** A setting that a user has by `alter role`. */
export interface MovedSetting {
  readonly user: string;
  /** Empty for one in all databases. */
  readonly database: string;
  readonly name: string;
  readonly value: string;
}
export interface AskedAccess {
  readonly access: readonly MovedAccess[];
  readonly settings: readonly MovedSetting[];
  readonly isOpen: boolean;
}

export interface Requests {
  /** Says whether both ends reach one server: the source has made the role `probe`, and looks for it at the target. */
  meet: readonly [
    asked: { readonly server: string; readonly probe: string; readonly version: number },
    answer: Meeting,
  ];
  /** Makes these users, who cannot log in, and drops what has come and is not named. */
  prepare: readonly [
    asked: { readonly users: readonly MovedUser[]; readonly databases: readonly string[] },
    answer: null,
  ];
  /** Gives the users exactly these rights and settings; they can log in if `isOpen`, unless their account is suspended. */
  access: readonly [asked: AskedAccess, answer: null];
}

export interface Meeting {
  readonly isSame: boolean;
  /** Why the databases cannot come; empty if they can, or need not. */
  readonly problem: string;
}

/** The one request whose body is no JSON: statements that make all of the database that it is about. */
export const LOAD = 'load';

/** More than an account has of each. */
const MANY = 100_000;
/** Of a server in the settings. */
const SERVER = /^[^\0]{1,256}$/u;
const NAME = /^[a-z0-9_-]{1,63}$/;
const BASE64 = '[A-Za-z0-9+/]+={0,2}';
const VERIFIER = new RegExp(`^(?:SCRAM-SHA-256\\$[0-9]{1,7}:${BASE64}\\$${BASE64}:${BASE64}|md5[0-9a-f]{32})$`);
const VERIFIER_CHARACTERS = 1000;
/** Of a setting; who a session acts as is no user's own setting, but comes with its rights. */
const SETTING = /^(?!(?:role|session_authorization)$)[A-Za-z_][A-Za-z0-9_.]{0,62}$/i;
const VALUE = /^[^\0]{0,10000}$/u;
const LEVEL = new RegExp(`^(?:${LEVELS.join('|')})$`);
const VERSIONS = [100_000, 10_000_000] as const;

/** Readers of the bodies by the names of the requests. */
export const READERS: { readonly [N in keyof Requests]: (body: unknown) => Requests[N][0] } = {
  meet(body) {
    const { server, probe, version } = readMembers(body, ['server', 'probe', 'version']);
    return {
      server: readText(server, SERVER),
      probe: readText(probe, NAME),
      version: readInteger(version, ...VERSIONS),
    };
  },
  prepare(body) {
    const { users, databases } = readMembers(body, ['users', 'databases']);
    return {
      users: readList(users, MANY, userIn),
      databases: readList(databases, MANY, (name) => readText(name, NAME)),
    };
  },
  access(body) {
    const { access, settings, isOpen } = readMembers(body, ['access', 'settings', 'isOpen']);
    return {
      access: readList(access, MANY, accessIn),
      settings: readList(settings, MANY, settingIn),
      isOpen: readBoolean(isOpen),
    };
  },
};

export function readMeeting(answer: unknown): Meeting {
  const { isSame, problem } = readMembers(answer, ['isSame', 'problem']);
  return { isSame: readBoolean(isSame), problem: readText(problem, /^/) };
}

function userIn(item: unknown): MovedUser {
  const { name, verifier } = readMembers(item, ['name', 'verifier']);
  return { name: readText(name, NAME), verifier: verifier === null ? null : readVerifier(verifier) };
}

function readVerifier(value: unknown): string {
  const text = readText(value, VERIFIER);
  readInteger(text.length, 1, VERIFIER_CHARACTERS);
  return text;
}

function accessIn(item: unknown): MovedAccess {
  const { user, database, level } = readMembers(item, ['user', 'database', 'level']);
  return {
    user: readText(user, NAME),
    database: readText(database, NAME),
    level: readText(level, LEVEL) as MovedAccess['level'],
  };
}

function settingIn(item: unknown): MovedSetting {
  const { user, database, name, value } = readMembers(item, ['user', 'database', 'name', 'value']);
  return {
    user: readText(user, NAME),
    database: database === '' ? '' : readText(database, NAME),
    name: readText(name, SETTING),
    value: readText(value, VALUE),
  };
}
