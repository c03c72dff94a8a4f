import type { TaskRun } from './account-tasks.ts';
import type { Counted } from './task-store.ts';

/** How often work says that it goes on, while what it waits for says nothing. */
const BEAT_MS = 1000;

/** Does work of a task that counts into `counted`, and tells of it all the time. */
export async function withBeat<T>(
  { onProgress }: Pick<TaskRun, 'onProgress'>,
  counted: Counted,
  work: () => Promise<T>,
): Promise<T> {
  const beat = setInterval(() => onProgress({ ...counted }), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
