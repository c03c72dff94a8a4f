import { assertIndependent, independenceSuite, thirdOfPlugins } from './independence.ts';

const test = independenceSuite('independence, third third');

for (const name of thirdOfPlugins(2))
  test(`with ${name} off, the others answer as before`, () => assertIndependent(name));
