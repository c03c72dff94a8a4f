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

/** A description that shows something on the first screen: the overview, a part of it, or of the bar above each page. */
const ON_FIRST_SCREEN = /\b(page|path): '\/'|\binBar\b/;

type Texts = Readonly<Record<string, string>>;

const readTexts = (path: string): Texts => JSON.parse(readFileSync(join(projectDir, path), 'utf8')) as Texts;

/** Returns the texts of the shell and of all areas in one language, by key. */
export function mergedTexts(language: string): Texts {
  return { ...firstTexts(language), ...furtherTexts(language) };
}

/**
 * Returns the texts that the first screen may need: those of the shell, those of the areas that show something on it, and what the
 * descriptions of the other areas name, such as the titles of their pages.
 */
export function firstTexts(language: string): Texts {
  return pickTexts(language, true);
}

/** Returns the texts of the pages that are opened later. */
export function furtherTexts(language: string): Texts {
  return pickTexts(language, false);
}

function pickTexts(language: string, areFirst: boolean): Texts {
  const shell = areFirst ? readTexts(`plugins/pages/texts/${language}.json`) : {};
  const areas = findFiles(`plugins/*/page/texts/${language}.json`, projectDir).flatMap((path) => {
    const plugin = path.split('/')[1] ?? '';
    const described = findFiles(`plugins/${plugin}/page/{${APPS.join(',')}}.{ts,tsx}`, projectDir)
      .map((file) => readFileSync(join(projectDir, file), 'utf8'))
      .join('\n');
    const isFirst = ON_FIRST_SCREEN.test(described);
    return Object.entries(readTexts(path)).filter(([key]) => (isFirst || described.includes(`'${key}'`)) === areFirst);
  });
  return { ...shell, ...Object.fromEntries(areas) };
}
