type End = () => unknown;

/** How what tests have started ends: what a suite started, and what the test did that is running. */
const ofSuite: End[] = [];
let ofTest: End[] | undefined;

/** Has `end` run after the test that is running or, between tests, after the suite; the last first. */
export function atEnd(end: End): void {
  (ofTest ?? ofSuite).push(end);
}

/** Runs a test, and ends what it started, also if it fails. */
export async function ending(run: () => unknown): Promise<void> {
  const own: End[] = (ofTest = []);
  try {
    await run();
  } catch (error) {
    await endAll(own).catch(() => undefined); // the test has failed first
    throw error;
  } finally {
    ofTest = undefined;
  }
  await endAll(own);
}

/** Ends what was started between tests. */
export const endSuite = (): Promise<void> => endAll(ofSuite);

/** Ends all, whatever becomes of each. Rejects with the first error. */
async function endAll(ends: End[]): Promise<void> {
  const errors: unknown[] = [];
  for (let end = ends.pop(); end !== undefined; end = ends.pop())
    try {
      await end();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}
