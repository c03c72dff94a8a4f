import { useEffect } from 'preact/hooks';
import { useQuery, type Query } from './query.ts';
import { useStream } from './stream.tsx';

/** The members of long work that its list needs. */
interface ListedTask {
  readonly id: string;
  readonly created_at: string;
}
interface Tasks<T> {
  readonly tasks: readonly T[];
}

/** How often the list is asked for while the stream does not flow. */
const ASKED_MS = 5000;

/** Asks for long work, and follows it by the stream at `path`: each event holds the tasks that have changed. */
export function useTasks<T extends ListedTask>(
  path: string,
  ask: (signal: AbortSignal) => Promise<Tasks<T>>,
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
  return listing;
}
