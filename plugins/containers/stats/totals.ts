import { binarySize, decimalSize, percent } from '../docker-format.ts';
import type { StatsTotals } from '../schema.ts';
import type { ContainerUsage } from './sample.ts';

/** The docker CLI writes disk and network I/O with three significant digits. */
const IO_DIGITS = 3;

/** Sums over containers, in the docker CLI's units; all zero for an empty list. */
export function totals(containers: readonly ContainerUsage[]): StatsTotals {
  const sum = (figure: (each: ContainerUsage) => number) => containers.reduce((total, each) => total + figure(each), 0);
  const io = (figure: (each: ContainerUsage) => number) => decimalSize(sum(figure), IO_DIGITS);
  const usedBytes = sum((each) => each.memoryBytes);
  const limitBytes = sum((each) => each.limitBytes);
  return {
    BlockIO: `${io((each) => each.readBytes)} / ${io((each) => each.writtenBytes)}`,
    CPUPerc: percent(sum((each) => each.cpuPercent)),
    Container: String(containers.length),
    ID: '',
    MemPerc: percent(limitBytes > 0 ? (usedBytes / limitBytes) * 100 : 0),
    MemUsage: `${binarySize(usedBytes)} / ${binarySize(limitBytes)}`,
    Name: '',
    NetIO: `${io((each) => each.receivedBytes)} / ${io((each) => each.sentBytes)}`,
    PIDs: sum((each) => each.pids),
  };
}
