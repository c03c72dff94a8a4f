import type { Pool } from './pool.ts';

/** Whose processes they are, and where. */
interface Places {
  readonly uid: number;
  /** The group of the web server, which alone opens the socket. */
  readonly webGid: number;
  readonly socket: string;
  /** The folder of the account's files. */
  readonly root: string;
}

/** The path at which a pool answers by itself, without a script. Web servers pass on what ends with .php only. */
export const PING_PATH = '/hostkeep-ping';
/** The folder in the account's files with what PHP keeps there. */
export const OWN_FOLDER = '.php';
/** The script there with which a pool tells of itself, while it is asked. */
export const INFO_SCRIPT = 'phpinfo.php';
/** Added to a script's own limit, which does not count what it waits for. */
const GRACE_SECONDS = 10;
/** Classes of Debian's packages, which all may read. */
const SHARED = '/usr/share/php';
/** Characters that mean nothing in PHP's files of settings between quotes. */
const PLAIN = /^\/[A-Za-z0-9._/-]+$/;

/** Returns the settings of a master with one pool. Throws for a path that they cannot hold. */
export function poolConfig(pool: Pool, { uid, webGid, socket, root }: Places, disabled: readonly string[]): string {
  for (const path of [socket, root])
    if (!PLAIN.test(path)) throw new Error(`the path ${JSON.stringify(path)} cannot be written into a pool`);
  const own = `${root}/${OWN_FOLDER}`;
  const fixed = {
    open_basedir: `${root}/:${SHARED}/`,
    disable_functions: disabled.join(','),
    'session.save_path': `${own}/sessions`,
    // Debian's own clean-up knows the folders of its own pools only
    'session.gc_probability': 1,
    'session.gc_divisor': 1000,
    upload_tmp_dir: `${own}/tmp`,
    sys_temp_dir: `${own}/tmp`,
    error_log: `${own}/errors.log`,
    memory_limit: `${pool.memoryMib}M`,
    upload_max_filesize: `${pool.uploadMib}M`,
    post_max_size: `${bodyMib(pool)}M`,
    max_execution_time: pool.seconds,
  };
  const values = { log_errors: '1', ...Object.fromEntries(pool.ini), 'date.timezone': pool.timezone };
  return [
    '[global]',
    'log_level = warning',
    // It opens this, but prints (--force-stderr). Its own file is in a folder that the broker of the package cannot write.
    'error_log = /dev/null',
    'daemonize = no',
    `process_control_timeout = ${pool.seconds + 2 * GRACE_SECONDS}s`,
    '[site]',
    `user = ${uid}`,
    `group = ${uid}`,
    `listen = "${socket}"`,
    'listen.owner = 0',
    `listen.group = ${webGid}`,
    'listen.mode = 0660',
    'pm = ondemand',
    `pm.max_children = ${pool.workers}`,
    'pm.process_idle_timeout = 30s',
    'pm.max_requests = 1000',
    `ping.path = ${PING_PATH}`,
    `request_terminate_timeout = ${pool.seconds + GRACE_SECONDS}s`,
    'security.limit_extensions = .php',
    'env[PATH] = /usr/local/bin:/usr/bin:/bin',
    `env[HOME] = "${root}"`,
    `env[TMPDIR] = "${own}/tmp"`,
    ...Object.entries(fixed).map(([name, value]) => `php_admin_value[${name}] = "${value}"`),
    `php_flag[display_errors] = ${pool.showsErrors ? 'on' : 'off'}`,
    ...Object.entries(values).map(([name, value]) => `php_value[${name}] = "${value}"`),
    '',
  ].join('\n');
}

/** The largest body of a request: an upload, and what a form has beside it. */
export const bodyMib = ({ uploadMib }: Pool): number => uploadMib + 1;
