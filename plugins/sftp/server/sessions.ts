import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '../../../kernel/schema.ts';
import { identify, isRunning } from '../../../kernel/kit/programs/process-id.ts';
import { restartUnit } from '../../../kernel/kit/programs/restart-unit.ts';
import { runProgram } from '../../../kernel/kit/programs/run-program.ts';
import { fail } from '../errors.ts';
import type { SftpConfig } from '../schema.ts';

/** A connection whose client has logged in. */
export interface SftpSession {
  /** Its process; see `identify`. */
  readonly id: string;
  readonly uid: number;
  /** The name of its login, of which ProFTPD keeps 31 characters. */
  readonly login: string;
  readonly address: string;
  /** `sftp` or `ftps`. */
  readonly protocol: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The command of the protocol that it runs now; empty while it waits. */
  readonly activity: string;
}

const WHO_MS = 5000;
const WHO_BYTES = 8 << 20;
/** Characters of a login that ProFTPD's scoreboard has room for. */
const KEPT_CHARACTERS = 31;
/** How long a session may take to end by itself. */
const END_MS = 2000;
const POLL_MS = 20;
const PROGRAM = 'proftpd';

/** Whether a session is one of a login, as far as ProFTPD tells. */
export const isOfLogin = ({ login }: SftpSession, name: string): boolean => name.slice(0, KEPT_CHARACTERS) === login;

/** Returns the process id of ProFTPD; `undefined` while it does not run. */
export function findProftpd({ pid_file: file }: Pick<SftpConfig, 'pid_file'>): number | undefined {
  if (!existsSync(file)) return undefined;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return pid > 1 && statusOf(pid)?.name === PROGRAM ? pid : undefined;
}

/**
 * Has ProFTPD read its configuration. Where it bans it is started anew, which ends sessions: with `mod_ban` at work, that of Debian 13
 * crashes when it reads its configuration again.
 */
export async function reloadProftpd(config: SftpConfig, signal: AbortSignal): Promise<void> {
  const pid = findProftpd(config);
  if (pid === undefined || (config.ban_minutes > 0 && (await restartUnit(pid, signal)))) return;
  process.kill(pid, 'SIGHUP');
}

/** Resolves with the sessions of our virtual host. Errors: 503 `connections_unknown` if ProFTPD's own list of them cannot be read. */
export async function readSessions(config: SftpConfig, signal: AbortSignal): Promise<SftpSession[]> {
  const proftpd = findProftpd(config);
  if (proftpd === undefined) return [];
  if (!existsSync(config.scoreboard))
    throw fail.connections_unknown(
      'ProFTPD runs without the file of its sessions: set sftp.scoreboard to its ScoreboardFile',
    );
  const { stdout, stderr, code } = await runProgram('ftpwho', ['-o', 'json', '-f', config.scoreboard], {
    signal,
    timeoutMs: WHO_MS,
    stdoutBytes: WHO_BYTES,
  });
  if (code !== 0) throw fail.connections_unknown(`ftpwho: ${stderr.trim() || `exit code ${code}`}`);
  const { connections } = JSON.parse(stdout) as { connections?: unknown };
  if (!Array.isArray(connections)) throw fail.connections_unknown('ftpwho: the answer has no connections');
  return connections.flatMap((each) => toSession(each, proftpd, config));
}

/** One that is not a process of this ProFTPD, or in which nobody has logged in, is none. */
function toSession(given: unknown, proftpd: number, { port, ftps }: SftpConfig): SftpSession[] {
  if (!isObject(given) || ![port, ftps.port].includes(Number(given['local_port'])) || typeof given['user'] !== 'string')
    return [];
  const pid = Number(given['pid']);
  const id = identify(pid);
  const status = statusOf(pid);
  if (id === undefined || status?.parent !== proftpd || status.name !== PROGRAM) return [];
  return [
    {
      id,
      uid: status.uid,
      login: given['user'],
      address: String(given['remote_address'] ?? ''),
      protocol: String(given['protocol'] ?? 'sftp'),
      since: Number(given['connected_since_ms'] ?? 0),
      activity: given['idling'] === true ? '' : String(given['command'] ?? ''),
    },
  ];
}

/** Ends sessions, first politely, and resolves when they are gone. */
export async function endSessions(sessions: readonly SftpSession[]): Promise<void> {
  const signal = (name: 'SIGTERM' | 'SIGKILL') => {
    for (const { id } of sessions) if (isRunning(id)) process.kill(Number.parseInt(id, 10), name);
  };
  const gone = async () => {
    for (const end = performance.now() + END_MS; performance.now() < end; await delay(POLL_MS))
      if (!sessions.some(({ id }) => isRunning(id))) return true;
    return false;
  };
  signal('SIGTERM');
  if (await gone()) return;
  signal('SIGKILL');
  if (!(await gone())) throw new Error('a session does not end');
}

/** Returns name, parent and effective user id of a process, see proc(5); `undefined` if there is none. */
function statusOf(pid: number): { readonly name: string; readonly parent: number; readonly uid: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, name = ''] = /^Name:\t(.*)$/m.exec(text) ?? [];
    const [, parent] = /^PPid:\t(\d+)$/m.exec(text) ?? [];
    const [, uid] = /^Uid:\t\d+\t(\d+)\t/m.exec(text) ?? [];
    return { name, parent: Number(parent), uid: Number(uid) };
  } catch {
    // it has ended
    return undefined;
  }
}
