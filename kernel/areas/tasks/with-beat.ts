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

/** Does more work of a task that has told something before, and tells of it until the work does: it may wait for its turn. */
export function withBeatFirst<T>(run: TaskRun, counted: Counted, work: (run: TaskRun) => Promise<T>): Promise<T> {
  let hasTold = false;
  const onBeat = (told: unknown) => {
    if (!hasTold) run.onProgress(told);
  };
  const onProgress = (told: unknown) => {
    hasTold = true;
    run.onProgress(told);
  };
  return withBeat({ onProgress: onBeat }, counted, () => work({ ...run, onProgress }));
}
