import { cpus } from 'node:os';

/** What the processors have done since the machine was started, in milliseconds of all of them together. */
export interface ProcessorTimes {
  readonly idle: number;
  readonly all: number;
}

export function processorTimes(): ProcessorTimes {
  const times = cpus().map((each) => each.times);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}

/** Returns the share of the processors' time in which nobody has used them, from 0 to 1. */
export function idleShareSince(before: ProcessorTimes): number {
  const now = processorTimes();
  return (now.idle - before.idle) / Math.max(1, now.all - before.all);
}
