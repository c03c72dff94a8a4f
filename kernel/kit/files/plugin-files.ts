import { fileURLToPath } from 'node:url';
import { findInEach } from './find-files.ts';

/** The folder of the plugins, and the extension of their files: `.js` if the kernel itself is compiled. */
const FOLDER = new URL('../../../plugins/', import.meta.url);
const ENDING = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** The files of a plugin that the program finds by their names. The bundle keeps each at its place. */
export const FOUND_FILES = [
  'index',
  'commands',
  'privileged',
  'engine',
  'launcher',
  'site-directives',
  'stored-settings',
  'demo-web-server',
] as const;

type FoundFile = (typeof FOUND_FILES)[number];

/** Returns the names of the plugins that have a file: one that the program finds, or the script that builds a part of the plugin. */
export function pluginsWith(file: FoundFile | 'build/main'): string[] {
  return findInEach(`${file}${ENDING}`, fileURLToPath(FOLDER)).map((path) => path.slice(0, path.indexOf('/')));
}

/** Imports a file of a plugin, and resolves with its default export. */
export async function importDefault<T>(plugin: string, file: FoundFile): Promise<T | undefined> {
  const module = (await import(new URL(`${plugin}/${file}${ENDING}`, FOLDER).href)) as { default?: T };
  return module.default;
}
