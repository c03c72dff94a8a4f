import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Linux groups processes by session, and then weighs a session by this instead of by the priority of its processes. */
const SESSION = '/proc/self/autogroup';
/** The system lets all processes together change that ten times a second. */
const RETRY_MS = 100;
const RETRIES = 50;

/**
 * Lowers the priority of this process, which leads a session of its own, below that of the process that started it. Call it
 * while this process still has the user of that one; only a capability lets it be raised again.
 */
export function lowerPriority(by: number): void {
  const priority = Math.min(constants.priority.PRIORITY_LOW, getPriority() + by);
  // Node.js has started threads by now, and each has its own
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), priority);
  let session: number;
  try {
    session = openSync(SESSION, 'w'); // which another user may not do
  } catch {
    return; // the system does not group
  }
  writeTo(session, String(priority), RETRIES);
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
