/**
 * What a sample of the machine costs: `npm run build && node dist/test/plugins/system/sampler-cost.js`; bench/README.md keeps the
 * figure.
 */
import si from 'systeminformation';
import { cpuReader } from '../../../plugins/system/readers/cpu.ts';
import { DiskReader } from '../../../plugins/system/readers/disks.ts';
import { MemoryReader } from '../../../plugins/system/readers/memory.ts';

const ROOTS = { proc: '/proc', sys: '/sys', files: '/' };

/** Processor time of one call in milliseconds, threads of the pool and children that ended included. */
async function costMs(times: number, work: () => Promise<unknown>): Promise<number> {
  await work();
  const before = process.cpuUsage();
  for (let i = 0; i < times; i += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / times;
}

const [cpu, memory, disks] = [cpuReader(ROOTS.proc), new MemoryReader(ROOTS), new DiskReader(ROOTS, false)];
const ours = await costMs(300, () => Promise.all([cpu(), memory.read(), disks.read()]));
const theirs = await costMs(5, () => Promise.all([si.currentLoad(), si.mem(), si.fsSize()]));
console.log(
  `One sample: ${ours.toFixed(2)} ms of processor time; with systeminformation, without its child processes, ${theirs.toFixed(2)} ms`,
);
console.log(`Sampler at 1 s while read, percent of one core: ${(ours / 10).toFixed(2)}   (wanted: ≤ 0.5)`);
