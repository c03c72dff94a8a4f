import * as assert from 'uvu/assert';
import { testSuite } from '../../support/suite.ts';
import { sockets } from './sockets.ts';

const test = testSuite('attack: sockets');

test('whatever is said on a socket, in whatever pieces and however slowly, the node lives and serves others', async () => {
  const figures = await sockets.run(0.05, 0);
  for (const line of figures) console.log(line);
  assert.is(figures.length, 9);
});
