/**
 * What one customer can cost another: `npm run build && node dist/bench/tenants.js [share] [part of a name] [apart]`. For each
 * abuse of `npm run attack estate`, or for those whose names contain the second argument, a neighbour asks for five usual
 * reads, searches, reads `database_info` and logs in; the latencies during the abuse are compared with those of the same
 * server when idle. `share`, from 0 to 1, is the part of the hostile files that is made; 1 takes minutes to make. With `apart`
 * the server and what it starts have one core, the attack and the neighbour another, where the attack has the lower priority:
 * what the neighbour waits for then is the server, and no longer a core that an attack from elsewhere would not take from it.
 */
import { execFileSync } from 'node:child_process';
import { setPriority } from 'node:os';
import { ABUSES } from '../test/attack/estate/abuses.ts';
import type { Estate } from '../test/attack/estate/estate.ts';
import { abuse } from '../test/attack/estate/hostile-estate.ts';
import { KINDS } from '../test/attack/estate/observer.ts';
import { percentile } from './support/load.ts';
import { machineText } from './support/processes.ts';

const SECONDS = 15;
const MIB = 2 ** 20;
const share = Number(process.argv[2] ?? 1);
const wanted = process.argv[3] ?? '';
const isApart = process.argv[4] === 'apart';
const ATTACKS_PRIORITY = 10;
const ms = (value: number) => `${value.toFixed(1)} ms`;

const place = (cores: string, pid: number) => execFileSync('taskset', ['-acp', cores, `${pid}`], { stdio: 'ignore' });

/** Gives the server a core of its own. */
function apart({ node }: Estate): void {
  place('0', node.pid);
  place('1', process.pid);
  setPriority(ATTACKS_PRIORITY);
}

/** Gives this process both cores again, as the next server starts from it. */
function together(): void {
  place('0,1', process.pid);
  setPriority(0);
}

console.log(
  `Tenants bench: ${machineText()}, ${share} of the hostile files${isApart ? ', server and attack apart' : ''}\n`,
);
for (const each of ABUSES.filter(({ name }) => name.includes(wanted))) {
  const report = await abuse(each, share, SECONDS, isApart ? apart : undefined);
  const { idle, abused, growthBytes, largestWorkerBytes, violations } = report;
  if (isApart) together();
  console.log(each.name);
  for (const kind of KINDS) {
    const [before, during] = [percentile(idle[kind].ms, 0.99), percentile(abused[kind].ms, 0.99)];
    const wanted = kind === 'reads' ? 'at most 2 × idle' : 'at most 1,000 ms, none refused';
    console.log(
      `  ${kind.padEnd(14)} p99 idle ${ms(before).padStart(10)}, abused ${ms(during).padStart(10)}, ` +
        `${(during / before).toFixed(2).padStart(6)} ×, ${abused[kind].refused.length} of ${abused[kind].answers} refused   (${wanted})`,
    );
  }
  console.log(
    `  memory of the process ${Math.round(growthBytes / MIB)} MiB more (at most 128), largest worker ${Math.round(largestWorkerBytes / MIB)} MiB`,
  );
  for (const violation of violations.slice(0, 5)) console.log(`  violation: ${violation}`);
}
