/** `npm run attack [-- --requests N --seed S part…]`: all parts, or those that are named, one after the other; prints their figures. */
import { parseArgs } from 'node:util';
import { WHOLE_REQUESTS, type Part } from './part.ts';
import { faults } from './faults.ts';
import { isolation } from './isolation.ts';
import { requests } from './requests.ts';
import { sockets } from './sockets.ts';
import { throttled } from './throttled.ts';

/** All that there are, in the order in which they are made. */
const PARTS: Readonly<Record<string, Part>> = { requests, throttled, isolation, sockets, faults };

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
    console.log(`  held, ${((performance.now() - started) / 1000).toFixed(0)} s`);
  } catch (error) {
    console.error(`  FAILED after ${((performance.now() - started) / 1000).toFixed(0)} s, seed ${seed}`, error);
    process.exitCode = 1;
  }
}
