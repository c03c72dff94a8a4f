import { assertIndependent, independenceSuite, thirdOfGroups } from './independence.ts';

const groups = await thirdOfGroups(2);
const test = independenceSuite('independence, third third'); // after the last await, as it runs once this file is loaded

for (const off of groups) test(`without ${off.join(', ')}, the others answer as before`, () => assertIndependent(off));
