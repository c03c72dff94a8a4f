import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFiles } from '../../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';

export const APPS = ['home', 'console'] as const;
export type App = (typeof APPS)[number];
export const LANGUAGES = ['en', 'de', 'fr'] as const;

/** Returns the files in which areas describe their pages of an application: `plugins/<area>/page/home.tsx`, for example. */
export function areaFiles(app: App): string[] {
  return findFiles(`plugins/*/page/${app}.{ts,tsx}`, projectDir).map((path) => join(projectDir, path));
}

/** Returns the texts of the shell and of all areas in one language, by key. */
export function mergedTexts(language: string): Record<string, string> {
  const files = findFiles(`plugins/{pages,*/page}/texts/${language}.json`, projectDir);
  return Object.assign(
    {},
    ...files.map((path) => JSON.parse(readFileSync(join(projectDir, path), 'utf8')) as Record<string, string>),
  ) as Record<string, string>;
}
