import type { ContainerUsage } from './sample.ts';
import type { StatsTotals } from '../schema.ts';
import { decimalSize, mebibytes, percent } from '../docker-format.ts';

/** Digits that the docker CLI writes of what went over disks and networks. */
const IO_DIGITS = 3;

/** The sums over containers, in the docker CLI's units. Zeros of none. */
export function totals(measured: readonly ContainerUsage[]): StatsTotals {
  const sum = (figure: (each: ContainerUsage) => number) => measured.reduce((total, each) => total + figure(each), 0);
  const usedBytes = sum((each) => each.memoryBytes);
  const limitBytes = sum((each) => each.limitBytes);
  return {
    BlockIO: `${decimalSize(
      sum((each) => each.readBytes),
      IO_DIGITS,
    )} / ${decimalSize(
      sum((each) => each.writtenBytes),
      IO_DIGITS,
    )}`,
    CPUPerc: percent(sum((each) => each.cpuPercent)),
    Container: String(measured.length),
    ID: '',
    MemPerc: percent(limitBytes > 0 ? (usedBytes / limitBytes) * 100 : 0),
    MemUsage: `${mebibytes(usedBytes)} / ${mebibytes(limitBytes)}`,
    Name: '',
    NetIO: `${decimalSize(
      sum((each) => each.receivedBytes),
      IO_DIGITS,
    )} / ${decimalSize(
      sum((each) => each.sentBytes),
      IO_DIGITS,
    )}`,
    PIDs: sum((each) => each.pids),
  };
}
