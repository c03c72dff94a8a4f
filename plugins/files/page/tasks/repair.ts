import { api, changed } from '../../../pages/kit/index.ts';

/** Begins to repair the permissions in a folder; the list of long work then says how far that is. */
export async function repair(path: string): Promise<void> {
  await api('POST /api/files/repair', { body: { path } });
  changed();
}
