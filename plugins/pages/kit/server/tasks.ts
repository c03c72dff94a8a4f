import { useEffect, useRef } from 'preact/hooks';
import { changed, useQuery, type Query } from './query.ts';
import { useStream } from './stream.tsx';

/** The members of long work that its list needs. */
interface ListedTask {
  readonly id: string;
  readonly created_at: string;
  readonly state: string;
}
interface Tasks<T> {
  readonly tasks: readonly T[];
}

/** How often the list is asked for while the stream does not flow. */
const ASKED_MS = 5000;
/** How often a single task is asked for. */
const POLL_MS = 2000;

/**
 * Asks for long work, and follows it by the stream at `path`: each event holds the tasks that have changed. What ends
 * is dealt with as by `useEnds`.
 */
export function useTasks<T extends ListedTask>(
  path: string,
  ask: (signal: AbortSignal) => Promise<Tasks<T>>,
  onEnded?: (task: T) => void,
): Query<Tasks<T>> {
  const listing = useQuery(path, ask);
  const { isConnected } = useStream(path, ({ data }) => {
    const known = listing.data?.tasks;
    if (known === undefined) return; // what is asked for is newer, or tells why it failed
    const { tasks: fresh } = JSON.parse(data) as Tasks<T>;
    const ids = new Set(fresh.map(({ id }) => id));
    const others = known.filter(({ id }) => !ids.has(id));
    listing.set({ tasks: [...fresh, ...others].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1)) });
  }).value;
  useEffect(() => {
    if (isConnected) return;
    const timer = setInterval(listing.reload, ASKED_MS);
    return () => clearInterval(timer);
  }, [isConnected, listing.reload]);
  useEnds(listing.data?.tasks, onEnded);
  return listing;
}

/**
 * Asks for what is new on the page once a task has ended, and tells `onEnded` about those that ended since the page was
 * opened. Compares what has ended, not what ran: a short task has ended before the page hears of it.
 */
export function useEnds<T extends Pick<ListedTask, 'id' | 'state'>>(
  tasks: readonly T[] | undefined,
  onEnded?: (task: T) => void,
): void {
  const told = useRef<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    if (tasks === undefined) return;
    const ended = tasks.filter(({ state }) => state !== 'running');
    const before = told.current;
    const fresh = before === undefined ? [] : ended.filter(({ id }) => !before.has(id));
    told.current = new Set([...(before ?? []), ...ended.map(({ id }) => id)]);
    for (const task of fresh) onEnded?.(task);
    if (fresh.length > 0) changed();
  }, [tasks]);
}

/** Asks for a task until it has ended, and resolves with what became of it. */
export async function ended<T extends Pick<ListedTask, 'state'>>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const task = await ask();
    if (task.state !== 'running') return task;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
