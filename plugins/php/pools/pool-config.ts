import { assertPlain, fpmSettings } from '../../../kernel/kit/programs/fpm/php-fpm.ts';
import type { Pool } from './pool.ts';

/** Whose processes they are, and where. */
interface Places {
  readonly uid: number;
  /** The group of the web server, which alone opens the socket. */
  readonly webGid: number;
  readonly socket: string;
  /** The folder of the account's files. */
  readonly root: string;
  /** See `PhpConfig.idle_seconds`. */
  readonly idleSeconds: number;
}

/** Of processes of a pool whose master waits for longer. */
const IDLE_SECONDS = 30;

/** The folder in the account's files with what PHP keeps there. */
export const OWN_FOLDER = '.php';
/** The script there with which a pool tells of itself, while it is asked. */
export const INFO_SCRIPT = 'phpinfo.php';
/** Classes of Debian's packages, which all may read. */
const SHARED = '/usr/share/php';

/** Returns the settings of a master with one pool. Throws for a path that they cannot hold. */
export function poolConfig(
  pool: Pool,
  { uid, webGid, socket, root, idleSeconds }: Places,
  disabled: readonly string[],
): string {
  assertPlain(root);
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
  const values = {
    display_errors: pool.showsErrors ? 1 : 0,
    log_errors: 1,
    ...Object.fromEntries(pool.ini),
    'date.timezone': pool.timezone,
  };
  return fpmSettings(
    { uid, webGid, socket },
    {
      workers: pool.workers,
      seconds: pool.seconds,
      idleSeconds: Math.min(IDLE_SECONDS, idleSeconds || IDLE_SECONDS),
      env: { HOME: root, TMPDIR: `${own}/tmp` },
      fixed,
      values,
    },
  );
}

/** The largest body of a request: an upload, and what a form has beside it. */
export const bodyMib = ({ uploadMib }: Pool): number => uploadMib + 1;
