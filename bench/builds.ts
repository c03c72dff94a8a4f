/**
 * Whether a change costs requests anything: `npm run build && node dist/bench/builds.js <folder of another checkout>`,
 * which is built too. Both builds serve stores of their own with the same content, and each guarded read is asked of
 * both in turn; the medians of the processor time that the serving process takes for a request are compared.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { interleaved, type Target } from './support/load.ts';
import { machineText, startBuild, temporaryFolder } from './support/processes.ts';

const ROUNDS = 9;
const [other] = process.argv.slice(2);
if (other === undefined) throw new Error('name the folder of the other checkout');

const stops: (() => Promise<void>)[] = [];

async function targetsOf(name: string, build: string): Promise<Target[]> {
  const data = temporaryFolder();
  // Each build makes its own store, whose schema the other may not know.
  const own = pathToFileURL(join(build, 'bench/support/processes.js')).href;
  const { benchSettings, coreOf, tokenFor } = (await import(own)) as typeof import('./support/processes.ts');
  const core = await coreOf(data);
  const account = await core.accounts.create({ username: 'ann', role: 'user', plan: 'developer', passwordHash: 'x' });
  const admin = await core.accounts.create({ username: 'root', role: 'admin', passwordHash: 'x' });
  const [token, adminToken] = [await tokenFor(core, account), await tokenFor(core, admin)];
  await core.close();
  const { url, adminUrl, child, stop } = await startBuild(build, benchSettings(data));
  stops.push(stop);
  return [
    { name: `plan, ${name}`, url: `${url}/system/hosting/plan`, token, pid: child.pid },
    { name: `dashboard, ${name}`, url: `${url}/api/dashboard`, token, pid: child.pid },
    { name: `cpu, ${name}`, url: `${adminUrl}/api/usage/cpu`, token: adminToken, pid: child.pid },
  ];
}

console.log(`Builds: ${machineText()}`);
const here = await targetsOf('this', join(import.meta.dirname, '..'));
const there = await targetsOf('other', join(other, 'dist'));
const results = await interleaved(
  here.flatMap((target, i) => [target, ...there.slice(i, i + 1)]),
  { rounds: ROUNDS, seconds: 3 },
);
for (const { name } of here) {
  const [mine = Number.NaN, theirs = Number.NaN] = [name, name.replace('this', 'other')].map(
    (each) => results.get(each)?.processorUs,
  );
  console.log(
    `  ${name.replace(', this', '').padEnd(12)} this ${mine.toFixed(2)} µs   other ${theirs.toFixed(2)} µs   ${(mine / theirs).toFixed(3)}`,
  );
}
for (const stop of stops) await stop();
process.exit(0);
