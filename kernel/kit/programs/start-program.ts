/**
 * The one place that starts programs. A program parses what customers and networks wrote, so that a fault in it must not
 * lend an attacker the rights of this service: it starts without capabilities, without a way to gain any, without a shell
 * that reads anything, and with an environment of two variables. `setpriv`, `prlimit` and `unshare` of util-linux prepare the
 * process and then become the program, so that its process id, signals and exit code are the program's own.
 */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** The programs that keep capabilities, if this process has them, and why. Every other program has none. */
export const EXCEPTIONS = {
  du: { keeps: ['dac_read_search'], reason: 'measures folders that only their owners may list' },
  'quota tools': {
    keeps: ['dac_read_search', 'sys_admin'],
    reason: "the kernel opens others' quotas only to sys_admin, and some quota tools read root's files instead",
  },
  job: {
    keeps: ['chown', 'dac_override', 'dac_read_search', 'setgid', 'setpcap', 'setuid'],
    reason:
      'takes the user id of the account that it works for, after which none is left, and takes rights from its own programs',
  },
  'web server': {
    keeps: ['chown', 'dac_override', 'kill', 'net_bind_service'],
    reason:
      'its check opens the log files of the running server, gives temporary folders to its user and binds to port 80; its reload sends a signal to it',
  },
  'process manager': {
    keeps: ['chown', 'dac_override', 'kill', 'setgid', 'setuid'],
    reason: "starts processes that take an account's user id, signals them, and gives their socket to the web server",
  },
  'demo web server': {
    keeps: ['chown', 'dac_override', 'setgid', 'setuid'],
    reason: "serves the demo's folders, whatever their owner, and sets the user of its own worker",
  },
} as const satisfies Record<string, { readonly keeps: readonly string[]; readonly reason: string }>;
export type ProgramException = keyof typeof EXCEPTIONS;
/** A process that `startProgram` started. */
export type { ChildProcess };
type Capability = (typeof EXCEPTIONS)[ProgramException]['keeps'][number];

/** The user and group that a program runs as. */
export interface ProgramUser {
  readonly uid: number;
  readonly gid: number;
}

/** Limits of the operating system, which hold whatever the program does; a core file is never written. */
export interface ProgramLimits {
  /** Private writable memory. */
  readonly dataBytes?: number;
  readonly cpuSeconds?: number;
  readonly openFiles?: number;
  /** Size of each file that it writes. */
  readonly fileBytes?: number;
  /** Processes and threads of its user. */
  readonly processes?: number;
}

/** How a program is started; without any, it has no rights, no input, and pipes for its output. */
export interface ProgramOptions {
  /** Added to `LC_ALL` and `PATH`; of this process's own environment nothing is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** As in `spawn`; by default no input, and pipes for both outputs. */
  readonly stdio?: StdioOptions;
  readonly exception?: ProgramException;
  /** The user to run as, in no further groups; only root can choose one. */
  readonly user?: ProgramUser;
  readonly limits?: ProgramLimits;
  /** The folder of the control group in which it starts, and all that it starts; see `ControlGroups`. */
  readonly group?: string | undefined;
  /** Starts it without a network where the system permits that, and the program keeps what `exception` names. */
  readonly isOffline?: boolean;
  /** The file of the network in which it starts, in place of this process's. */
  readonly network?: string;
  /**
   * Starts it in namespaces of its own, where the system permits that: it sees no other processes, and all that it started ends with it.
   * The process that is returned is its parent then, see `ownProcessId`.
   */
  readonly isAlone?: boolean;
  /** Paths that a program needs which is alone: those in a folder such as /tmp are hidden otherwise, as it has one of its own. */
  readonly sees?: readonly string[];
  /** Makes it the leader of a process group and a session, so that `killProgram` ends its children too. */
  readonly isGroup?: boolean;
  /** Has the system kill it when this process ends, however that happens. */
  readonly diesWithParent?: boolean;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const BARE = ['--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
/** Flags for programs, of which the first set that works is used. The `setpriv` of Debian 13 takes a bounding set only with CAP_SETPCAP. */
const FLAGS = [BARE, BARE.filter((flag) => !flag.startsWith('--bounding-set')), ['--no-new-privs']];
/** Without the right to make a network namespace, one can be had in a user namespace, in which other rights end. */
const NO_NETWORK = ['unshare', '--net', '--'];
const NO_NETWORK_OR_RIGHTS = ['unshare', '--user', '--map-current-user', '--net', '--'];
/** Bits of the capabilities that `EXCEPTIONS` names, see capability.h. */
const BITS: Readonly<Record<Capability, number>> = {
  chown: 0,
  dac_override: 1,
  dac_read_search: 2,
  kill: 5,
  setgid: 6,
  setuid: 7,
  setpcap: 8,
  net_bind_service: 10,
  sys_admin: 21,
};
/** Namespaces of processes, with their own /proc, whose first one the program is, and of System V's and POSIX's queues and memory. */
const ALONE = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc', '--'];
/** The same for who has no rights, which would end in a user namespace; `mount` refuses him. */
const ALONE_WITHOUT_RIGHTS = ['unshare', '--user', '--map-current-user', ...ALONE.slice(1)];
/** Where everybody may write, which no quota counts, beside /dev/shm; what tells what each account takes; and where all may give the node orders. */
const SHARED = [
  ...['/dev/mqueue', '/run/lock', '/tmp', '/var/tmp', '/sys/fs/cgroup'],
  ...['/run/clamav', '/run/dbus', '/run/systemd/journal'],
];
/**
 * Has the folders in `$0` be small ones of the program's own, which end with it, and becomes the command that follows. A manager of
 * processes is root: what it writes into /proc must not reach the system.
 */
const OWN_FOLDERS = `mount -t tmpfs -o size=64m,nr_inodes=4096,mode=1777,nosuid,nodev hostkeep /dev/shm &&
  for each in $0; do [ ! -d "$each" ] || mount --bind /dev/shm "$each" || exit; done && mount -o remount,ro /proc && exec "$@"`;
/** Why a probe failed on a busy machine: descriptors, processes, memory or time were short. */
const SCARCE = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ETIMEDOUT'];
/** Joins a control group, then becomes the command that follows. */
const JOIN = 'echo $$ >"$0/cgroup.procs" && exec "$@"';
const PROBE = { env: { PATH }, timeout: 5000, encoding: 'utf8' } as const;

/** The capabilities that this process passes on to programs, probed once, when first needed. */
let passedOn: bigint | undefined;
let privileges: { readonly flags: readonly string[] | undefined } | undefined;
let offline: readonly (readonly string[])[] | undefined;
let tie: readonly string[] | undefined;
let isAlonePossible: boolean | undefined;

/** Starts a program. Throws when it is not installed, or when it would keep capabilities of this process. */
export function startProgram(program: string, args: readonly string[], options: ProgramOptions = {}): ChildProcess {
  const [first = '', ...rest] = [...preparation(options), findProgram(program), ...args];
  return spawn(first, rest, {
    env: { LC_ALL: 'C', PATH, ...options.env },
    stdio: options.stdio ?? ['ignore', 'pipe', 'pipe'],
    detached: options.isGroup === true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
}

/**
 * Starts Hostkeep itself once more, with this process's rights, environment and outputs, and a channel for messages. Takes
 * nothing from it, because it is the same code. Where there is `setpriv`, it dies with this process, even if it hangs.
 */
export function startOwnProgram(script: string, args: readonly string[]): ChildProcess {
  const own = [process.execPath, ...process.execArgv, script, ...args];
  const [first = '', ...rest] = [...tieCommand(), ...own];
  return spawn(first, rest, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

/** Kills a program with SIGKILL; if it leads a group, the whole group, also after the program itself has ended. */
export function killProgram(
  { pid }: Pick<ChildProcess, 'pid'>,
  { isGroup = false }: Pick<ProgramOptions, 'isGroup'>,
): void {
  if (pid === undefined) return;
  try {
    process.kill(isGroup ? -pid : pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether programs can be started where they see no other processes, see `ProgramOptions.isAlone`. */
export function canBeAlone(): boolean {
  isAlonePossible ??= probe([...aloneCommand([]), 'true']) !== undefined;
  return isAlonePossible;
}

function aloneCommand(sees: readonly string[]): readonly string[] {
  if (rightsPassedOn() === 0n) return ALONE_WITHOUT_RIGHTS;
  const folders = SHARED.filter((folder) => !sees.some((path) => path.startsWith(`${folder}/`)));
  return [...ALONE, findProgram('sh'), '-c', OWN_FOLDERS, folders.join(' ')];
}

/** Returns the process id of a program that was started with `isAlone`; `undefined` if it has ended. `pid`: of what was returned. */
export function ownProcessId(pid: number): number | undefined {
  if (!canBeAlone()) return pid;
  try {
    const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return first === '' ? undefined : Number(first);
  } catch {
    // it has ended
    return undefined;
  }
}

/** Returns the path of an installed program. Throws `ENOENT` if there is none. */
export function findProgram(name: string): string {
  const paths = isAbsolute(name) ? [name] : PATH.split(':').map((folder) => join(folder, name));
  for (const path of paths)
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // perhaps in the next folder; if in none, that is said below
      continue;
    }
  throw Object.assign(new Error(`there is no program ${name}`), { code: 'ENOENT' });
}

/** Returns the command that precedes the program. */
function preparation(options: ProgramOptions): string[] {
  const { exception, user, limits, group, network, isOffline, isAlone, sees = [], diesWithParent } = options;
  const kept = exception === undefined ? [] : keptBy(exception);
  return [
    ...(group === undefined ? [] : [findProgram('sh'), '-c', JOIN, group]),
    ...(limits === undefined ? [] : limitCommand(limits)),
    ...(network === undefined ? [] : [findProgram('nsenter'), `--net=${network}`, '--']),
    ...(isOffline === true ? offlineCommand(kept.length > 0 || user !== undefined) : []),
    ...(isAlone === true && canBeAlone() ? [...tieCommand(), ...aloneCommand(sees)] : []),
    ...privilegeCommand(kept, user, diesWithParent),
  ];
}

function limitCommand({ dataBytes, cpuSeconds, openFiles, fileBytes, processes }: ProgramLimits): string[] {
  const values = { data: dataBytes, cpu: cpuSeconds, nofile: openFiles, fsize: fileBytes, nproc: processes, core: 0 };
  const flags = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
  return [findProgram('prlimit'), ...flags, '--'];
}

function offlineCommand(needsRights: boolean): readonly string[] {
  offline ??= [NO_NETWORK, NO_NETWORK_OR_RIGHTS].filter((command) => probe([...command, 'true']) !== undefined);
  return offline.find((command) => command === NO_NETWORK || !needsRights) ?? [];
}

/** Returns the capabilities that a program keeps, of those that this process has. */
function keptBy(exception: ProgramException): readonly Capability[] {
  const rights = rightsPassedOn();
  return EXCEPTIONS[exception].keeps.filter((name) => (rights >> BigInt(BITS[name])) & 1n);
}

function privilegeCommand(kept: readonly Capability[], user?: ProgramUser, diesWithParent = false): string[] {
  privileges ??= { flags: probeFlags() };
  const { flags } = privileges;
  const extra = [
    ...(user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']),
    ...(diesWithParent ? ['--pdeathsig=KILL'] : []),
  ];
  if (flags === undefined) {
    if (user === undefined && rightsPassedOn() === 0n) return [];
    throw new Error('setpriv of util-linux does not work here, and programs must not keep the rights of this service');
  }
  const keep = kept.map((name) => `,+${name}`).join('');
  const own = flags.map((flag) => (flag.endsWith('=-all') ? flag + keep : flag));
  return [findProgram('setpriv'), ...own, ...extra, '--'];
}

/** Returns the command with which the system kills a program when this process ends; empty where `setpriv` cannot do that. */
function tieCommand(): readonly string[] {
  tie ??=
    probe(['setpriv', '--pdeathsig=KILL', '--', 'true']) === undefined
      ? []
      : [findProgram('setpriv'), '--pdeathsig=KILL', '--'];
  return tie;
}

/** Finds the flags of `setpriv` that leave a program without capabilities; `undefined` if none do. */
function probeFlags(): readonly string[] | undefined {
  return FLAGS.find((each) => {
    const { permitted, isFinal } = capabilitiesAfter(['setpriv', ...each, '--']);
    return permitted === 0n && isFinal;
  });
}

/** Returns the capabilities that a program has if none are taken from it. Throws while they are not known. */
function rightsPassedOn(): bigint {
  passedOn ??= capabilitiesAfter([]).permitted;
  if (passedOn === undefined) throw new Error('the capabilities of this process cannot be found out');
  return passedOn;
}

/** Returns the capabilities that a program has after a command, and whether it can gain none. */
function capabilitiesAfter(command: readonly string[]): { permitted: bigint | undefined; isFinal: boolean } {
  const status = probe([...command, 'cat', '/proc/self/status']) ?? '';
  const permitted = /^CapPrm:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return {
    permitted: permitted === undefined ? undefined : BigInt(`0x${permitted}`),
    isFinal: /^NoNewPrivs:\s*1$/m.test(status),
  };
}

/**
 * Returns what a command prints; `undefined` if it fails. Throws if descriptors, processes, memory or time are short: that
 * says nothing about the system, and would be remembered as if it did.
 */
function probe([program = '', ...args]: readonly string[]): string | undefined {
  const { error, status, stdout } = spawnSync(program, args, PROBE);
  if (SCARCE.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')) throw error;
  return status === 0 ? stdout : undefined;
}
