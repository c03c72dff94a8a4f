import { fileURLToPath } from 'node:url';
import { findFiles } from './find-files.ts';

/** The folder of the plugins, and the extension of their files: `.js` if the kernel itself is compiled. */
const FOLDER = new URL('../../../plugins/', import.meta.url);
const ENDING = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** Returns the names of the plugins that have a file, such as `index` or `commands`. */
export function pluginsWith(file: string): string[] {
  return findFiles(`*/${file}${ENDING}`, fileURLToPath(FOLDER)).map((path) => path.slice(0, path.indexOf('/')));
}

/** Imports a file of a plugin, and resolves with its default export. */
export async function importDefault<T>(plugin: string, file: string): Promise<T | undefined> {
  const module = (await import(new URL(`${plugin}/${file}${ENDING}`, FOLDER).href)) as { default?: T };
  return module.default;
}
