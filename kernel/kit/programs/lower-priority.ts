import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Linux groups processes by session, and then weighs a session by this instead of by the priority of its processes. */
const SESSION = '/proc/self/autogroup';
/** The system lets all processes together change that ten times a second. */
const RETRY_MS = 100;
const RETRIES = 50;
/** Much lower, and a login would take seconds while customers' programs keep the processors busy. */
const NICER_BY = 5;

/** Returns the priority of what must not hold up the threads that run at the present one. */
export const priorityBelow = (): number => Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER_BY);

/**
 * Returns what lowers the priority of this process, which leads a session of its own, below the present one. Call this while
 * the process still has the user of the one that started it; only a capability lets the priority be raised again.
 */
export function prepareLowerPriority(): () => void {
  const priority = priorityBelow();
  const session = openSession();
  return () => {
    // Node.js has started threads by now, and each has its own
    for (const thread of readdirSync('/proc/self/task')) lowerPriority(Number(thread), priority);
    if (session !== undefined) writeTo(session, String(priority), RETRIES);
  };
}

/** Lowers the priority of a thread, which may have ended meanwhile. */
export function lowerPriority(thread: number, priority: number): void {
  try {
    setPriority(thread, priority);
  } catch (error) {
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error;
  }
}

/** Returns a descriptor, which another user could not open later; `undefined` where the system does not group. */
function openSession(): number | undefined {
  try {
    return openSync(SESSION, 'w');
  } catch {
    // a kernel without autogroups, or a container that hides them
    return undefined;
  }
}

function writeTo(descriptor: number, text: string, retries: number): void {
  try {
    writeSync(descriptor, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN' && retries > 0)
      return void setTimeout(writeTo, RETRY_MS * (1 + Math.random()), descriptor, text, retries - 1).unref();
  }
  closeSync(descriptor);
}
