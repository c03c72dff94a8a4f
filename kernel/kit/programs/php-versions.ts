import { readdir } from 'node:fs/promises';

/** Where packages put PHP-FPM. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin'];
const PROGRAM = /^php-fpm(\d{1,2}\.\d{1,2})$/;

/** Resolves with the installed versions of PHP-FPM, newest first. */
export async function installedVersions(folders: readonly string[] = FOLDERS): Promise<string[]> {
  const found = new Set<string>();
  for (const folder of folders) {
    const names = await readdir(folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    });
    for (const name of names) found.add(PROGRAM.exec(name)?.[1] ?? '');
  }
  found.delete('');
  return [...found].toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
}
