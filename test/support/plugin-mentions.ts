/**
 * Files outside a plugin's two folders, `plugins/<name>/` and `test/plugins/<name>/`, that name one of the files in them: by
 * an import, or by a path in quotes. Such a file does not compile, or fails, once the plugin is deleted.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';

const SEARCHED = ['{kernel,config,bench,test}/**/*.ts', '!**/node_modules/**'];
/** They name files to say which of them may do what. */
const RULES = ['test/whole/boundaries.test.ts', 'test/support/plugin-mentions.ts'];

/** Finds them in the sources, with the plugins that they name. */
export function findMentions(): Record<string, readonly string[]> {
  const plugins = readdirSync(join(projectDir, 'plugins'));
  const found: [string, string[]][] = findFiles(SEARCHED, projectDir)
    .filter((file) => !RULES.includes(file))
    .map((file) => {
      const text = readFileSync(join(projectDir, file), 'utf8');
      const own = /^test\/plugins\/([^/]+)\//.exec(file)?.[1];
      const paths = [...text.matchAll(/(['"`])([^'"`\n]*\bplugins\/[^'"`\n]*|\.[^'"`\n]*)\1/g)].map(
        ([, , path = '']) => (path.startsWith('.') ? normalize(join(dirname(file), path)) : path),
      );
      const named = paths.map((path) => /^(?:dist\/)?(?:test\/)?plugins\/([a-z][a-z-]*)\//.exec(path)?.[1]);
      return [
        file,
        [
          ...new Set(named.filter((name) => name !== undefined && name !== own && plugins.includes(name))),
        ].toSorted() as string[],
      ];
    });
  return Object.fromEntries(found.filter(([, named]) => named.length > 0));
}
