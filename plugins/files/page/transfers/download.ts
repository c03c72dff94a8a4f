import { api, lastName } from '../../../pages/kit/index.ts';
import type { Entry } from '../place.ts';

/** Has the browser download a file as it is, and all else as one archive: it saves what comes, and shows how far it is. */
export async function download(folder: string, entries: readonly Entry[]): Promise<void> {
  const [first] = entries;
  const isFile = entries.length === 1 && first?.kind === 'file';
  const body = { paths: entries.map(({ name }) => `${folder}/${name}`), format: isFile ? null : ('zip' as const) };
  const { href } = await api('POST /api/files/downloads', { body });
  const name = isFile ? first.name : `${entries.length === 1 ? (first?.name ?? '') : lastName(folder)}.zip`;
  Object.assign(document.createElement('a'), { href, download: name }).click();
}
