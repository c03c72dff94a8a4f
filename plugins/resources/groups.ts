import type { ControlGroups, GroupSettings } from '../../kernel/kit/programs/control-groups.ts';
import type { AccountLimits } from './limits.ts';

/** The figures of an account's group: what it takes now, and how often it met its limits since it was made. */
export interface GroupFigures {
  readonly accountId: number;
  /** Without what the kernel can take back at once: files that were read and are not in use. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Processor time of all its processes, in microseconds. */
  readonly cpuUs: number;
  /** From and to the disk of accounts' files, since the group was made. */
  readonly readBytes: number;
  readonly writtenBytes: number;
  /** Processes that were killed for want of memory. */
  readonly killed: number;
  /** Starts of processes and threads that were refused. */
  readonly refused: number;
  /** Tenths of a second in which something had to wait for the next. */
  readonly throttled: number;
}

const MIB = 2 ** 20;
/** In which the kernel shares out processor time. */
const PERIOD_US = 100_000;
const UNLIMITED = 'max';

/** Returns the files of a group, see the kernel's cgroup-v2.rst. With a limit of memory, nothing is swapped: that would take everybody's disk instead. */
export function toSettings(limits: AccountLimits): GroupSettings {
  const { memoryMib, cpuPercent, processes, readMib, writeMib } = limits;
  const bytes = (mib: number) => (mib === 0 ? UNLIMITED : String(mib * MIB));
  return {
    'memory.max': bytes(memoryMib),
    'memory.swap.max': memoryMib === 0 ? UNLIMITED : '0',
    'cpu.max': `${cpuPercent === 0 ? UNLIMITED : (cpuPercent * PERIOD_US) / 100} ${PERIOD_US}`,
    'pids.max': processes === 0 ? UNLIMITED : String(processes),
    'io.max': `rbps=${bytes(readMib)} wbps=${bytes(writeMib)}`,
  };
}

/** Reads the limits that settings stand for. */
export function toLimits(settings: GroupSettings): AccountLimits {
  const value = (file: string) => Number.parseInt(settings[file] ?? '', 10) || 0; // `max` is no number
  const traffic = new Map((settings['io.max'] ?? '').split(' ').map((each) => each.split('=') as [string, string]));
  const mib = (name: string) => (Number.parseInt(traffic.get(name) ?? '', 10) || 0) / MIB;
  return {
    memoryMib: value('memory.max') / MIB,
    cpuPercent: (value('cpu.max') * 100) / PERIOD_US,
    processes: value('pids.max'),
    readMib: mib('rbps'),
    writeMib: mib('wbps'),
  };
}

/** Returns the figures of an account's group; `undefined` if it is gone meanwhile. */
export function readFigures(groups: ControlGroups, accountId: number): GroupFigures | undefined {
  const cpu = counters(groups.read(accountId, 'cpu.stat'));
  const usage = cpu.get('usage_usec');
  if (usage === undefined) return undefined;
  const stat = counters(groups.read(accountId, 'memory.stat'));
  const current = Number(groups.read(accountId, 'memory.current'));
  return {
    accountId,
    memoryBytes: Math.max(0, current - (stat.get('inactive_file') ?? 0)),
    processes: Number(groups.read(accountId, 'pids.current')),
    cpuUs: usage,
    ...readTraffic(groups, accountId),
    killed: counters(groups.read(accountId, 'memory.events')).get('oom_kill') ?? 0,
    refused: counters(groups.read(accountId, 'pids.events')).get('max') ?? 0,
    throttled: cpu.get('nr_throttled') ?? 0,
  };
}

/** Of the other disks nothing is known to be limited, and what passes through one to another would count twice. */
function readTraffic(groups: ControlGroups, accountId: number): Pick<GroupFigures, 'readBytes' | 'writtenBytes'> {
  const disk = 'disk' in groups.disk ? groups.disk.disk : '';
  const line = groups
    .read(accountId, 'io.stat')
    .split('\n')
    .find((each) => each.startsWith(`${disk} `));
  const count = (name: string) => Number(new RegExp(` ${name}=(\\d+)`).exec(line ?? '')?.[1] ?? 0);
  return { readBytes: count('rbytes'), writtenBytes: count('wbytes') };
}

/** Lines of a name and a number. */
function counters(text: string): Map<string, number> {
  return new Map([...text.matchAll(/^(\w+) (\d+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}
