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

/** Files that name plugins' files. Tests of two plugins together go with either of them. The list only shrinks. */
export const KNOWN_MENTIONS: readonly string[] = [
  'bench/screenshots.ts',
  'bench/support/fleet-node.ts',
  'bench/usage.ts',
  'test/attack/fuzz/valid-values.ts',
  'test/fixtures/client/dashboard.ts',
  'test/kernel/lazy-package.test.ts',
  'test/kernel/local-store.test.ts',
  'test/kernel/secret-files.test.ts',
  'test/node/broker.test.ts',
  'test/node/suite.ts',
  'test/plugins/accounts/removed.test.ts',
  'test/plugins/containers/services/failures.test.ts',
  'test/plugins/dashboard/dashboard.test.ts',
  'test/plugins/database-moves/services/move-frozen.test.ts',
  'test/plugins/database-moves/services/move-interrupted.test.ts',
  'test/plugins/database-moves/services/move-locks.test.ts',
  'test/plugins/fleet/services/abuse.test.ts',
  'test/plugins/fleet/services/listener.test.ts',
  'test/plugins/fleet/services/joining.test.ts',
  'test/plugins/fleet/services/network.test.ts',
  'test/plugins/moves/services/move-frozen.test.ts',
  'test/plugins/openapi/openapi.test.ts',
  'test/plugins/system/system.test.ts',
  'test/plugins/webserver/services/broker.test.ts',
  'test/plugins/webserver/services/webserver.test.ts',
  'test/support/caddy.ts',
  'test/support/dev.ts',
  'test/support/examples.ts',
  'test/support/project-copy.ts',
  'test/support/screenshots.ts',
  'test/whole/services/demo.test.ts',
  'test/whole/services/homes.test.ts',
];

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
