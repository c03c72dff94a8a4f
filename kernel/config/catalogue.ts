import { join } from 'node:path';
import { findFiles } from '../kit/files/find-files.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import { readJson } from './configuration.ts';

/** Returns the members of a JSON file in `config/`, and of the files of the same name in the plugins' folders. */
export function readCatalogue<T>(file: string): [string, T][] {
  const files = findFiles([`config/${file}`, `plugins/*/${file}`], projectDir);
  return files.flatMap((path) => Object.entries(readJson(join(projectDir, path))) as [string, T][]);
}
