import { api, changed, lastName, t, textOr, toast } from '../../pages/kit/index.ts';

interface Result {
  readonly id: string;
  readonly error: string | null;
  readonly detail: string | null;
}

/** Says what could not be done, and why; what could is seen. */
function tellFailures(names: readonly string[], results: readonly Result[]): void {
  const failed = results.flatMap(({ error, detail }, i) =>
    error === null ? [] : [`${names[i] ?? ''}: ${textOr(`trash.error.${error}`, detail ?? error)}`],
  );
  if (failed.length > 0) toast(t('trash.failed', { n: failed.length, what: failed.join('; ') }), undefined, true);
}

/** Moves files and folders to the trash, and offers to take that back. */
export default async function moveToTrash(paths: readonly string[]): Promise<void> {
  const { results } = await api('POST /api/files/trash', { body: { paths: [...paths] } });
  changed();
  tellFailures(paths.map(lastName), results);
  const removed = results.flatMap(({ id, error }, i) => (error === null ? [{ id, path: paths[i] ?? '' }] : []));
  if (removed.length === 0) return;
  const what = { n: removed.length, name: lastName(removed[0]?.path ?? '') };
  toast(t('trash.wasRemoved', what), () => restore(removed));
}

export async function restore(removed: readonly { readonly id: string; readonly path: string }[]): Promise<void> {
  const { results } = await api('POST /api/files/restore', { body: { ids: removed.map(({ id }) => id) } });
  changed();
  tellFailures(
    removed.map(({ path }) => lastName(path)),
    results,
  );
  const n = results.filter(({ error }) => error === null).length;
  if (n > 0) toast(t('trash.wasRestored', { n, name: lastName(removed[0]?.path ?? '') }));
}
