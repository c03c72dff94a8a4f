import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { context, type BuildContext, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { APPS, areaFiles, firstTexts, furtherTexts, type App } from './areas.ts';

const FOLDER = join(projectDir, 'plugins/pages');
const STYLE = join(FOLDER, 'kit/styles/index.css');
const ICON = join(FOLDER, 'shell/icon.svg');

export interface Bundle {
  readonly outputFiles: readonly OutputFile[];
  readonly metafile: Metafile;
}

/** Modules that stand for what the areas bring: their descriptions, by application, and their texts, by language. */
const virtualModules: Plugin = {
  name: 'areas and texts',
  setup(build) {
    build.onResolve({ filter: /^hostkeep:/ }, ({ path }) => ({ path, namespace: 'hostkeep' }));
    build.onLoad({ filter: /^hostkeep:areas\//, namespace: 'hostkeep' }, ({ path }) => {
      const files = areaFiles(path.split('/')[1] as App);
      const imports = files.map((file, i) => `import area${i} from ${JSON.stringify(file)};`);
      const contents = `${imports.join('\n')}\nexport default [${files.map((_, i) => `area${i}`).join(', ')}];`;
      return { contents, resolveDir: projectDir, watchDirs: [join(projectDir, 'plugins')] };
    });
    build.onLoad({ filter: /^hostkeep:texts\//, namespace: 'hostkeep' }, ({ path }) => {
      const [, language = '', part] = path.split('/');
      const texts = part === 'further' ? furtherTexts(language) : firstTexts(language);
      // As an object: the bundler's own way with JSON has a variable for each key, which weighs half as much again.
      return { contents: `export default ${JSON.stringify(texts)};` };
    });
  },
};

/** Prepares the bundler, which keeps what it knows between builds. */
export function bundler(
  isDevelopment: boolean,
): Promise<BuildContext<BuildOptions & { metafile: true; write: false }>> {
  return context({
    absWorkingDir: projectDir,
    entryPoints: [
      ...APPS.map((app) => ({ in: join(FOLDER, `shell/${app}.tsx`), out: app })),
      { in: STYLE, out: 'style' },
    ],
    outdir: join(projectDir, 'dist/plugins/pages/assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: !isDevelopment,
    sourcemap: false,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    write: false,
    logLevel: 'silent',
    define: { IS_DEVELOPMENT: String(isDevelopment) },
    plugins: [virtualModules],
  });
}

/** Returns the HTML of an application: no inline script or style, and what its first screen needs is asked for at once. */
export function shellPage(app: App, { outputs }: Metafile, icon: string): string {
  const named = (end: string) =>
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(end) === true);
  const [script = '', output] = named(`shell/${app}.tsx`) ?? [];
  const [style = ''] = named('styles/index.css') ?? [];
  const parts = (output?.imports ?? []).filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
  const at = (path: string) => `/assets/${basename(path)}`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    `<title>${app === 'home' ? 'Hostkeep' : 'Hostkeep console'}</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    `<link rel="icon" href="/assets/${icon}" type="image/svg+xml">`,
    `<link rel="stylesheet" href="${at(style)}">`,
    ...parts.map((path) => `<link rel="modulepreload" href="${at(path)}">`),
    `<script type="module" src="${at(script)}"></script>`,
    '<body><div id="app"></div><noscript>This page needs JavaScript. The API does not: /openapi.json describes it.</noscript>',
    '',
  ].join('\n');
}

export const readIcon = (): Buffer => readFileSync(ICON);
