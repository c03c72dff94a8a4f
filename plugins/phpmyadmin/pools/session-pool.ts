import { join } from 'node:path';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import type { ServerLogin } from '../../../kernel/kit/databases/mariadb-programs.ts';
import { OWN_FOLDER } from '../../../kernel/kit/files/client-path.ts';
import { assertPlain, fpmSettings } from '../../../kernel/kit/programs/fpm/php-fpm.ts';
import { readInteger, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';

/** Of a session, and of its pool: random. */
export const SESSION_NAME = /^[a-z0-9]{20}$/;
/** Where Debian's package has phpMyAdmin. */
export const PROGRAM = '/usr/share/phpmyadmin';
/** The room of sessions in `OWN_FOLDER`. */
export const ROOM = 'phpmyadmin';
export const [TMP, SESSIONS, OPENED, ENDED] = ['tmp', 'sessions', 'opened', 'ended'] as const;
export const POOL = { workers: 6, memoryMib: 256, seconds: 600 } as const;
/** Its own scripts, which all may read, and what the package needs. */
const SCRIPTS = join(projectDir, 'plugins/phpmyadmin/php');
const READ = [PROGRAM, '/usr/share/php', '/usr/share/javascript', '/usr/share/doc/phpmyadmin', SCRIPTS];
const NO_PROGRAMS = 'exec,passthru,pcntl_exec,popen,proc_open,shell_exec,system';

/** A session as the scripts learn it, from their environment. */
export interface PoolSession {
  readonly name: string;
  /** Of PHP. */
  readonly version: string;
  readonly login: ServerLogin;
  /** SHA-256 of the token in the one-use link, in hexadecimal digits. */
  readonly linkHash: string;
  /** The cookie of the browser that used it. */
  readonly cookie: string;
  /** Seconds since 1970: until when the link can be used, and the session lives. */
  readonly opensUntil: number;
  readonly expiresAt: number;
  readonly idleSeconds: number;
  readonly uploadMib: number;
}

const DIGEST = /^[0-9a-f]{64}$/;
const [FIRST, LAST] = [0, 2 ** 40];

/** Checks a session again, whatever the service has checked. Errors: 400 `invalid_request`. */
export function readPoolSession(value: unknown): PoolSession {
  const given = readMembers(value, [
    ...(['name', 'version', 'login', 'linkHash', 'cookie', 'opensUntil', 'expiresAt', 'idleSeconds'] as const),
    'uploadMib',
  ]);
  const login = readMembers(given.login, ['socket', 'host', 'port', 'user', 'password']);
  return {
    name: readText(given.name, SESSION_NAME),
    version: readText(given.version, /^[0-9]{1,2}\.[0-9]{1,2}$/),
    login: {
      socket: readText(login.socket, /^(?:\/[\x20-\x7e]{1,106})?$/),
      host: readText(login.host, /^[A-Za-z0-9.:-]{0,255}$/),
      port: readInteger(login.port, 0, 65_535),
      user: readText(login.user, /^[a-z0-9_-]{1,80}$/),
      password: readText(login.password, /^[A-Za-z0-9_-]{16,64}$/),
    },
    linkHash: readText(given.linkHash, DIGEST),
    cookie: readText(given.cookie, DIGEST),
    opensUntil: readInteger(given.opensUntil, FIRST, LAST),
    expiresAt: readInteger(given.expiresAt, FIRST, LAST),
    idleSeconds: readInteger(given.idleSeconds, 1, 86_400),
    uploadMib: readInteger(given.uploadMib, 1, 65_535),
  };
}

/** Returns the address of a session below that of its site. */
export const sessionPath = (name: string): string => `/phpmyadmin-${name}/`;

/** Returns the variables of a session's master, in whose settings there is no secret. */
export function poolVariables({ login, ...session }: PoolSession, root: string): Record<string, string> {
  const values = {
    PATH: sessionPath(session.name),
    FOLDER: join(root, OWN_FOLDER, ROOM),
    LINK: session.linkHash,
    COOKIE: session.cookie,
    OPENS: session.opensUntil,
    EXPIRES: session.expiresAt,
    IDLE: session.idleSeconds,
    HOST: login.socket === '' ? login.host : 'localhost',
    PORT: login.socket === '' ? login.port : '',
    SOCKET: login.socket,
    USER: login.user,
    PASSWORD: login.password,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`HOSTKEEP_${name}`, String(value)]));
}

interface Places {
  readonly uid: number;
  readonly webGid: number;
  readonly socket: string;
  /** The folder of the account's files. */
  readonly root: string;
}

/** Returns the settings of the master of a session. Throws for a path that they cannot hold. */
export function poolSettings(session: PoolSession, { root, ...places }: Places): string {
  const own = join(root, OWN_FOLDER, ROOM);
  assertPlain(own, SCRIPTS);
  return fpmSettings(places, {
    ...POOL,
    env: {
      HOME: own,
      TMPDIR: join(own, TMP),
      ...Object.fromEntries(Object.keys(poolVariables(session, root)).map((name) => [name, null])),
    },
    fixed: {
      auto_prepend_file: join(SCRIPTS, 'gate.php'),
      open_basedir: [...READ, own].map((folder) => `${folder}/`).join(':'),
      disable_functions: NO_PROGRAMS,
      'mysqli.allow_local_infile': 0,
      'session.save_path': join(own, SESSIONS),
      'session.gc_maxlifetime': session.idleSeconds,
      upload_tmp_dir: join(own, TMP),
      sys_temp_dir: join(own, TMP),
      error_log: join(own, 'errors.log'),
      display_errors: 0,
      memory_limit: `${POOL.memoryMib}M`,
      upload_max_filesize: `${session.uploadMib}M`,
      post_max_size: `${session.uploadMib + 1}M`,
    },
    values: { log_errors: 1, max_execution_time: POOL.seconds, 'date.timezone': 'UTC' },
  });
}
