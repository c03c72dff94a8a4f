/**
 * What it costs to measure a folder of 1,000,000 files, beside `du` on the same tree in the same run:
 * `npm run build && node dist/bench/directory-size.js [files]`. The tree stays in the temporary folder for other benches.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bigTree } from './support/big-tree.ts';
import { describeLoad, load, median } from './support/load.ts';
import { coreOf, machineText, startHostkeep, temporaryFolder, tokenFor } from './support/processes.ts';

const ROUNDS = 5;
const { root: tree, files, folders } = bigTree(Number(process.argv[2] ?? 1_000_000));

const data = temporaryFolder();
const calls = join(data, 'calls');
const du = join(data, 'counting-du'); // du itself, after one line for each walk
writeFileSync(calls, '');
writeFileSync(du, `#!/bin/sh\necho walk >> '${calls}'\nexec du "$@"\n`);
chmodSync(du, 0o755);
const core = await coreOf(data);
const account = await core.accounts.create({
  username: basename(tree),
  role: 'user',
  plan: 'developer',
  passwordHash: '',
});
const token = await tokenFor(core, account);
const server = await startHostkeep(data, { files_root: join(dirname(tree), '{username}'), quota: { du } });

const walks = () => readFileSync(calls, 'utf8').split('\n').length - 1;
const ask = async () => {
  const response = await fetch(`${server.url}/api/directory-size?folder=/var/www/html`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { size: string }).size;
};
const byDu = () => Promise.resolve(execFileSync('du', ['-sh', '--', tree], { encoding: 'utf8' }).split('\t')[0] ?? '');
const timed = async (work: () => Promise<string>): Promise<{ ms: number; size: string }> => {
  const started = performance.now();
  const size = await work();
  return { ms: performance.now() - started, size };
};

console.log(`Identity size bench: ${machineText()}, ${files} files in ${folders} folders\n`);
await byDu();
await ask(); // both warm
const runs = { asked: [] as number[], du: [] as number[] };
for (let round = 0; round < ROUNDS; round += 1) {
  const [yardstick, answer] = [await timed(byDu), await timed(ask)];
  if (yardstick.size !== answer.size) throw new Error(`du says ${yardstick.size}, the answer is ${answer.size}`);
  runs.du.push(yardstick.ms);
  runs.asked.push(answer.ms);
}
const [duMs, askedMs] = [median(runs.du), median(runs.asked)];
console.log(
  `  du -sh                       ${duMs.toFixed(1)} ms\n  /api/directory-size          ${askedMs.toFixed(1)} ms\n  directory-size / du          ${(askedMs / duMs).toFixed(2)}`,
);

const before = walks();
const { ms } = await timed(async () => (await Promise.all(Array.from({ length: 100 }, ask)))[0] ?? '');
console.log(`  100 asked at once            ${walks() - before} walk, ${(ms / duMs).toFixed(2)} of du's time`);

const plan = { name: 'plan, idle', url: `${server.url}/system/hosting/plan`, token };
const idle = await load(plan, { seconds: 2, connections: 8 });
const walking = { isOn: true };
const asking = (async () => {
  while (walking.isOn) await ask();
})();
const busy = await load({ ...plan, name: 'plan, while measuring' }, { seconds: 2, connections: 8 }).finally(
  () => (walking.isOn = false),
);
await asking;
console.log(`\n  ${describeLoad('plan, idle', idle)}\n  ${describeLoad('plan, while measuring', busy)}`);

await core.close();
await server.stop();
