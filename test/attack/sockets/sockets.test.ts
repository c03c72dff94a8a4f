/** A share of `npm run attack sockets`. */
import * as assert from '../../support/assert.ts';
import { testSeed } from '../../support/random.ts';
import { testSuite } from '../../support/suite.ts';
import { sockets } from './sockets.ts';

const test = testSuite('attack: sockets');
const FIGURES = [
  /^wire cases: [1-9]\d* valid, ambiguous and malformed requests, each with an allowed response; nothing smuggled$/,
  /^half-closed: a read got its response, a change completed$/,
  /^split at every byte: [1-9]\d* requests, /,
  /^slow clients: 27 of 9 kinds, disconnected after /,
  /^clients that do not read: 10, at most \d+ KiB each, disconnected after /,
  /^idle connections: 500, [1-9]\d* of them open at once, at most \d+ bytes each; all closed by the server$/,
  /^connections with half a request: 500, [1-9]\d* of them open at once, at most \d+ bytes each; all closed /,
  /^random mutations: \d{3,} requests /,
  /^afterwards: alive, /,
];

// attack malformed-requests: refused or ignored, nothing smuggled, and other clients are served
// attack slow-clients: disconnected after their time-out; 500 idle and 500 half-open connections cost at most 8 KiB
//   each
// asvs 1.4.1-3: TypeScript, with native code in pinned packages only; malformed bytes crash nothing
// asvs 4.2.1: requests whose boundaries two parsers could read differently end the connection
test('malformed, fragmented and slow requests smuggle nothing', async () => {
  const figures = await sockets.run(0.05, testSeed());
  assert.is(figures.length, FIGURES.length);
  for (const [i, figure] of FIGURES.entries()) assert.match(figures[i] ?? '', figure);
});
