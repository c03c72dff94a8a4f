import { suite, type Test } from 'uvu';

/** Creates a uvu suite, which runs once the whole file is loaded; the test entry counts its results. */
export function testSuite(name: string): Test {
  const test = suite(name);
  setImmediate(() => test.run());
  return test;
}
