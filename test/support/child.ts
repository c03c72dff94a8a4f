import type { ChildProcess } from 'node:child_process';

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
