import { suite, type Callback, type Test } from 'uvu';
import { countedAssertions } from './assert.ts';
import { ending, endSuite } from './ending.ts';
import { endOfLog, forgetLog } from './kept-log.ts';

/** Only tests whose title contains this are registered; set by `test/index.ts -t`. */
const WANTED = process.env['HOSTKEEP_TEST_TITLE'] ?? '';

/** How long something may stay open after the totals: of a test that failed there is something to be expected. */
const OPEN_MS = { failed: 1000, passed: Number(process.env['HOSTKEEP_TEST_OPEN_MS'] ?? 60_000) };
let suitesToRun = 0;
/** Whether this file has said that tests of it cannot run here. */
let isPartLeftOut = false;
let endTimer: NodeJS.Timeout | undefined;

/** Asked by the test entry of a process that does not end. */
process.once('SIGUSR2', giveUp);

/** Says what keeps the process alive, and ends it in order, so that nothing which belongs to its tests is left. */
function giveUp(): void {
  console.log(`\nkept alive by: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}

/** Ends the process if it does not end by itself once uvu has written its totals. */
function endAfterTotals(): void {
  endTimer = setTimeout(giveUp, process.exitCode === 1 ? OPEN_MS.failed : OPEN_MS.passed).unref();
}

/** Forgets the file that has run, for another one in this process. */
export function forgetFile(): void {
  clearTimeout(endTimer);
  process.exitCode = 0;
  isPartLeftOut = false;
  queueOfUvu().splice(0, Infinity, null);
}

/**
 * A suite of uvu whose results the test entry counts; it runs when the file is loaded up to its next `await`. Throws for a
 * test that is added later, which uvu would never run. uvu swallows errors of `before` and `after.each`: they are printed.
 */
export function testSuite(name: string): Test {
  const own = suite(name);
  let hasStarted = false;
  const test = (title: string, run: Callback): void => {
    if (hasStarted) throw new Error(`"${title}" is added too late: call testSuite after the last top-level await`);
    if (title.includes(WANTED)) own(title, (context) => reporting(title, run, context));
  };
  setImmediate(() => {
    hasStarted = true;
    own.after(endSuite); // after all other hooks
    own.run();
    suitesToRun += 1;
    queueOfUvu().push(async () => {
      suitesToRun -= 1;
      if (suitesToRun === 0) setImmediate(endAfterTotals);
      return [true, 0, 0, 0];
    });
  });
  return Object.assign(test, own, {
    run: () => {
      throw new Error('the suite runs by itself: a second run of it ends before its tests');
    },
    before: Object.assign(printing('before', own.before), { each: own.before.each }),
    after: Object.assign((hook: Callback) => own.after(hook), { each: printing('after.each', own.after.each) }),
  });
}

/**
 * The name of a file, or none, and the suites that uvu runs in turn before it writes the totals of all; each results in errors,
 * passed, skipped and total.
 */
function queueOfUvu(): ((() => Promise<[errors: true, ...counts: number[]]>) | null)[] {
  const [queue] = (globalThis as unknown as { UVU_QUEUE: [ReturnType<typeof queueOfUvu>] }).UVU_QUEUE;
  return queue;
}

/**
 * Reports tests that cannot run here, which the test entry counts as skipped. Throws in CI, where every test must run.
 */
export function reportSkipped(reason: string): void {
  if (process.env['CI'] === 'true') throw new Error(`tests cannot run: ${reason}`);
  isPartLeftOut = true;
  console.log(`\nskipped: ${reason}`); // on a line of its own: uvu prints a dot for each test
}

/**
 * Says at once that a test has failed, with what its servers logged: uvu does when all have run, which a process that hangs never
 * comes to. A test that ran no assertion has failed.
 */
async function reporting(title: string, run: Callback, context: Parameters<Callback>[0]): Promise<void> {
  forgetLog();
  const before = countedAssertions();
  try {
    await ending(() => run(context));
    if (countedAssertions() !== before) return;
    if (!isPartLeftOut) throw new Error('the test ran no assertion: it cannot fail, whatever the code does');
    console.log(`\nnot run: ${title}`);
  } catch (error) {
    const { details = false } = error as { details?: string | false }; // of an assertion: the expected and the actual value
    console.log(`\n"${title}" failed: ${String(error)}${details === false ? '' : `\n${details}`}`);
    printLog();
    throw error;
  }
}

/** Prints what the servers logged since the test began; that of hooks counts from the test before. */
function printLog(): void {
  const logged = endOfLog();
  if (logged !== '') console.log(`the log of its servers ends with:\n${logged}`);
}

function printing(name: string, add: (hook: Callback) => void): (hook: Callback) => void {
  return (hook) =>
    add(async (context) => {
      try {
        await hook(context);
      } catch (error) {
        console.error(`\n${name} failed:`, error);
        printLog();
        throw error;
      }
    });
}
