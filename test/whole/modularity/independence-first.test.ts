import { assertAllAnswer, assertIndependent, independenceSuite, thirdOfPlugins } from './independence.ts';

const test = independenceSuite('independence, first third');

test('with all plugins on, every route answers', assertAllAnswer);

for (const name of thirdOfPlugins(0))
  test(`with ${name} off, the others answer as before`, () => assertIndependent(name));
