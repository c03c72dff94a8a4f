import { readFileSync } from 'node:fs';

/** What processors have done since the machine was started, in hundredths of a second of all of them together. */
export interface ProcessorTimes {
  readonly idle: number;
  readonly all: number;
}

/** In a line of `/proc/stat`, which ends with times of guests that are counted before as well; see proc_stat(5). */
const [IDLE, COUNTED] = [3, 8];

/** Returns the numbers of the processors on which this process may run. */
export function allowedProcessors(): number[] {
  const [, allowed = ''] = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return allowed.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** Returns what the processors have done on which this process may run: others may be idle for ever. */
export function processorTimes(): ProcessorTimes {
  const allowed = new Set(allowedProcessors());
  const lines = [...readFileSync('/proc/stat', 'utf8').matchAll(/^cpu(\d+) (.*)$/gm)];
  const times = lines.filter(([, id]) => allowed.has(Number(id))).map(([, , each = '']) => each.split(' ').map(Number));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    idle: sum(times.map((each) => each[IDLE] ?? 0)),
    all: sum(times.flatMap((each) => each.slice(0, COUNTED))),
  };
}

/** Returns the share of the processors' time in which nobody has used them, from 0 to 1. */
export function idleShareSince(before: ProcessorTimes): number {
  const now = processorTimes();
  return (now.idle - before.idle) / Math.max(1, now.all - before.all);
}
