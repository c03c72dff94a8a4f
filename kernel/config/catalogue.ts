import { join } from 'node:path';
import { ownFiles } from '../kit/files/find-files.ts';
import { projectDir } from '../kit/files/project-dir.ts';
import { readJson } from './configuration.ts';

/** Returns the members of a JSON file in `config/`, and of the files of the same name in the plugins' folders. */
export function readCatalogue<T>(file: string): [string, T][] {
  const files = ownFiles([`config/${file}`, `plugins/*/${file}`]);
  return files.flatMap((path) => Object.entries(readJson(join(projectDir, path))) as [string, T][]);
}
