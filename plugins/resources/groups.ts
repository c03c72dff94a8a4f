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
export function toSettings({ memoryMib, cpuPercent, processes }: AccountLimits): GroupSettings {
  return {
    'memory.max': memoryMib === 0 ? UNLIMITED : String(memoryMib * MIB),
    'memory.swap.max': memoryMib === 0 ? UNLIMITED : '0',
    'cpu.max': `${cpuPercent === 0 ? UNLIMITED : (cpuPercent * PERIOD_US) / 100} ${PERIOD_US}`,
    'pids.max': processes === 0 ? UNLIMITED : String(processes),
  };
}

/** Reads the limits that settings stand for. */
export function toLimits(settings: GroupSettings): AccountLimits {
  const value = (file: string) => Number.parseInt(settings[file] ?? '', 10) || 0; // `max` is no number
  return {
    memoryMib: value('memory.max') / MIB,
    cpuPercent: (value('cpu.max') * 100) / PERIOD_US,
    processes: value('pids.max'),
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
    killed: counters(groups.read(accountId, 'memory.events')).get('oom_kill') ?? 0,
    refused: counters(groups.read(accountId, 'pids.events')).get('max') ?? 0,
    throttled: cpu.get('nr_throttled') ?? 0,
  };
}

/** Lines of a name and a number. */
function counters(text: string): Map<string, number> {
  return new Map([...text.matchAll(/^(\w+) (\d+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}
