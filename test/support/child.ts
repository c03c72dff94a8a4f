import type { ChildProcess } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';

const running = new Map<ChildProcess, NodeJS.Signals>();
process.once('exit', () => {
  for (const [child, signal] of running) child.kill(signal);
});

/** Has a child end with this process, which may not come to the end of a test; returns it. */
export function endsWithTests<T extends ChildProcess>(child: T, signal: NodeJS.Signals = 'SIGKILL'): T {
  running.set(child, signal);
  child.once('exit', () => running.delete(child));
  return child;
}

/**
 * Resolves once everything has been read that a child wrote before it ended: its end may be known first. It is not awaited that
 * its pipes are closed, because programs that it started may hold them.
 */
export async function untilRead(output: () => string): Promise<void> {
  for (let before: string | undefined; before !== output();) {
    before = output();
    for (let turns = 0; turns < 2; turns += 1) await turn(); // between them, whatever is in a pipe is read
  }
}
