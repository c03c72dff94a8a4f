import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findInEach } from '../kit/files/find-files.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import { readJson } from './configuration.ts';

/** Returns the members of a JSON file in `config/`, and of the files of the same name in the plugins' folders. */
export function readCatalogue<T>(file: string): [string, T][] {
  const plugins = findInEach(file, join(projectDir, 'plugins')).map((path) => join('plugins', path));
  const files = [join('config', file), ...plugins].map((path) => join(projectDir, path));
  return files.filter((path) => existsSync(path)).flatMap((path) => Object.entries(readJson(path)) as [string, T][]);
}
