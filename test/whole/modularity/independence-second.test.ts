import { assertIndependent, independenceSuite, thirdOfPlugins } from './independence.ts';

const test = independenceSuite('independence, second third');

for (const name of thirdOfPlugins(1))
  test(`with ${name} off, the others answer as before`, () => assertIndependent(name));
