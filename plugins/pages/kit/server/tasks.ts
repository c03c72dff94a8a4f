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

/** Asks for long work, and follows it by the stream at `path`: each event holds the tasks that have changed. */
export function useTasks<T extends ListedTask>(
  path: string,
  ask: (signal: AbortSignal) => Promise<Tasks<T>>,
): Query<Tasks<T>> {
  const listing = useQuery(path, ask);
  useStream(path, ({ data }) => {
    const known = listing.data?.tasks;
    if (known === undefined) return; // what is asked for is newer, or tells why it failed
    const { tasks: fresh } = JSON.parse(data) as Tasks<T>;
    const ids = new Set(fresh.map(({ id }) => id));
    const others = known.filter(({ id }) => !ids.has(id));
    listing.set({ tasks: [...fresh, ...others].toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1)) });
  });
  return listing;
}
