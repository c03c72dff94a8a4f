/**
 * `npm run attack [-- --requests N --seed S part…]`: runs all parts, or the named ones, one after the other, and prints
 * their figures.
 */
import { parseArgs } from 'node:util';
import { estate } from './estate/hostile-estate.ts';
import { faults } from './faults/faults.ts';
import { requests } from './fuzz/requests.ts';
import { throttled } from './fuzz/throttled.ts';
import { isolation } from './isolation/isolation.ts';
import { WHOLE_REQUESTS, type Part } from './part.ts';
import { sockets } from './sockets/sockets.ts';

/** In the order in which they run. */
const PARTS: Readonly<Record<string, Part>> = { requests, throttled, isolation, sockets, estate, faults };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: String(WHOLE_REQUESTS) },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
const [share, seed] = [Number(values.requests) / WHOLE_REQUESTS, Number(values.seed)];
if (unknown.length > 0 || !(share > 0) || !Number.isInteger(seed)) {
  console.error(`usage: npm run attack [-- --requests N --seed S ${Object.keys(PARTS).join(' ')}]`);
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

for (const [name, part] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const started = performance.now();
  console.log(`\n${name}: ${part.title} (seed ${seed})`);
  try {
    for (const line of await part.run(Math.min(1, share), seed)) console.log(`  ${line}`);
    console.log(`  passed in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  } catch (error) {
    console.error(`  FAILED after ${((performance.now() - started) / 1000).toFixed(0)} s, seed ${seed}`, error);
    process.exitCode = 1;
  }
}
