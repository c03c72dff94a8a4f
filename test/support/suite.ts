import { suite, type Test } from 'uvu';

/** A suite of uvu whose results the test entry counts; it runs when the process has loaded the whole file. */
export function testSuite(name: string): Test {
  const test = suite(name);
  setImmediate(() => test.run());
  return test;
}
