import { assertAllAnswer, assertIndependent, independenceSuite, thirdOfGroups } from './independence.ts';

const groups = await thirdOfGroups(0);
const test = independenceSuite('independence, first third'); // after the last await, as it runs once this file is loaded

test('with all plugins on, every route answers', assertAllAnswer);

for (const off of groups) test(`without ${off.join(', ')}, the others answer as before`, () => assertIndependent(off));
