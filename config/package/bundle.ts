/**
 * Bundles the program with esbuild, in the shape of `dist/`: each file that is started by its name keeps its place (the
 * command, the scripts of processes and threads), and shares its code with the others in `chunks/`. What the command finds
 * in each plugin under one name is one file of all plugins, because a start reads a few files faster than hundreds. Packages
 * with binaries or data of their own stay packages, see `runtime-packages.ts`.
 */
import { build, type Plugin } from 'esbuild';
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { findFiles } from '../../kernel/kit/files/find-files.ts';
import { FOUND_FILES } from '../../kernel/kit/files/plugin-files.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { RUNTIME_PACKAGES } from './runtime-packages.ts';

const COMMAND = ['kernel/run/main.ts'];
/** A build of their own: the more files share a chunk in different ways, the more chunks the command would read. */
const SCRIPTS = ['kernel/kit/jobs/job-process.ts', '{kernel,plugins}/**/*-{job,thread,worker}.ts'];
/** Every file of the tests, because they start and import each other by name; not those that test packages. */
const TEST_ENTRIES = ['kernel/**/*.ts', 'plugins/**/*.ts', 'test/**/*.ts'];
const NOT_COMPILED = [
  '!**/node_modules/**',
  '!plugins/*/page/**',
  '!plugins/pages/{kit,shell}/**',
  '!test/node/**',
  '!test/plugins/*/fixtures/client/**',
  '!test/client/**/*.d.ts',
];
/** Stands in a bundled file for the way from there to the root of the bundle. */
const ROOT = '@bundle-root@/';

/** A package that is loaded when it is needed: it has a file of its own, so that no start reads it. */
const LAZY = /\b(lazyPackage<[^]*?>)\(\s*'([^']+)',\s/g;
const ANY_LAZY = /= lazyPackage</g;

/** Left out: dockerode reaches engines by SSH with them, and builds images in sessions of BuildKit; ours does neither. */
const UNUSED = /^(?:ssh2|@grpc\/grpc-js|@grpc\/proto-loader)$/;

const EXTERNAL = Object.keys(RUNTIME_PACKAGES);
/** The folder of the packages that are loaded when they are needed. */
const PACKAGES = 'packages';

/** CommonJS packages call `require`, which modules do not have. */
const BANNER =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/**
 * Writes the bundle to a folder, which is emptied first; with `isForTests`, together with the tests and source maps. Resolves
 * with the folders of the packages that are in it.
 */
export async function bundle(folder: string, isForTests = false): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  const lazy = new Set<string>();
  const common = [ownPlaces(lazy), unused];
  const inputs = isForTests
    ? await bundleFiles(folder, [...TEST_ENTRIES, ...NOT_COMPILED], common, true)
    : [
        ...(await bundleFiles(folder, COMMAND, [joinedPlugins, ...common])),
        ...(await bundleFiles(folder, SCRIPTS, common)),
      ];
  const packages = [...inputs, ...(await bundlePackages(folder, [...lazy]))].map(
    (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0],
  );
  return [...new Set(packages.filter((each) => each !== undefined))].toSorted();
}

/** Bundles files of the project together. Resolves with the files that they consist of. */
async function bundleFiles(
  folder: string,
  entries: readonly string[],
  plugins: Plugin[],
  isForTests = false,
): Promise<string[]> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: projectDir,
    entryPoints: findFiles(entries, projectDir),
    outbase: projectDir,
    outdir: folder,
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    chunkNames: 'chunks/[name]-[hash]',
    external: [...EXTERNAL, ...(isForTests ? developmentPackages() : [])],
    plugins,
    banner: { js: BANNER },
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
    legalComments: 'none',
    keepNames: true,
    sourcemap: isForTests && 'linked',
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) {
    const toRoot = relative(dirname(path), folder);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text.replaceAll(ROOT, toRoot === '' ? './' : `${toRoot}/`));
  }
  return Object.keys(metafile.inputs);
}

/** Bundles packages, each into a file of its own that is loaded with `require`. Resolves with the files that they consist of. */
async function bundlePackages(folder: string, names: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: projectDir,
    entryPoints: Object.fromEntries(names.map((name) => [name, `required:${name}`])),
    outdir: join(folder, PACKAGES),
    outExtension: { '.js': '.cjs' },
    metafile: true,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: EXTERNAL,
    plugins: [required],
    legalComments: 'none',
    keepNames: true,
    minifyWhitespace: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

/** Resolves an entry to the form of a package that `require` gets. */
const required: Plugin = {
  name: 'required',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^required:/ }, ({ path }) => ({
      path: path.slice('required:'.length),
      namespace: 'required',
    }));
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}')`,
      resolveDir: projectDir,
    }));
  },
};

/** Stands for `plugin-files.ts`, which looks for files: here it is known which there are. */
const joinedPlugins: Plugin = {
  name: 'joined-plugins',
  setup: ({ onResolve, onLoad }) => {
    const pathsOf = (file: string) => findFiles(`plugins/*/${file}.ts`, projectDir);
    const nameOf = (path: string) => JSON.stringify(path.split('/')[1]);
    const inProject = { resolveDir: projectDir, loader: 'js' } as const;
    onLoad({ filter: /\/kit\/files\/plugin-files\.ts$/ }, () => ({
      ...inProject,
      contents: `const NAMES = { ${FOUND_FILES.map((file) => `'${file}': [${pathsOf(file).map(nameOf).join()}]`).join()} };
        const JOINED = { ${FOUND_FILES.map((file) => `'${file}': () => import('./joined-${file}')`).join()} };
        export const pluginsWith = (file) => NAMES[file];
        export const importDefault = async (plugin, file) => (await JOINED[file]())[plugin];`,
    }));
    onResolve({ filter: /^\.\/joined-/ }, ({ path }) => ({ path: path.slice(2), namespace: 'joined' }));
    onLoad({ filter: /./, namespace: 'joined' }, ({ path: file }) => ({
      ...inProject,
      contents: pathsOf(file.slice('joined-'.length))
        .map((path) => `export { default as ${nameOf(path)} } from './${path}';`)
        .join('\n'),
    }));
  },
};

const unused: Plugin = {
  name: 'unused',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: '' }));
  },
};

/**
 * Keeps the places true from which the project's files find their neighbours: in a chunk they would be those of the chunk.
 * Adds to `lazy` the packages that are to be bundled by themselves.
 */
const ownPlaces = (lazy: Set<string>): Plugin => ({
  name: 'own-places',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const script = relative(projectDir, path).replace(/\.ts$/, '.js');
      const place = (of: string) => `new URL(${JSON.stringify(ROOT + of)}, import.meta["url"])`;
      const pathOf = (of: string) => `decodeURIComponent(${place(of)}.pathname)`;
      const source = readFileSync(path, 'utf8');
      if (source.match(ANY_LAZY)?.length !== source.match(LAZY)?.length)
        throw new Error(`${script} loads a package in a way that is not bundled`);
      const contents = source
        .replaceAll(LAZY, (text, call: string, name: string) => {
          if (name in RUNTIME_PACKAGES) return text;
          lazy.add(name);
          return `${call}('${relative(dirname(script), `${PACKAGES}/${name}.cjs`)}', `;
        })
        .replaceAll(/\bimport\.meta\.url\b/g, () => `${place(script)}.href`)
        .replaceAll(/\bimport\.meta\.dirname\b/g, () => pathOf(dirname(script)))
        .replaceAll(/\bimport\.meta\.filename\b/g, () => pathOf(script));
      return { contents, loader: 'ts' };
    });
  },
});

function developmentPackages(): string[] {
  const { devDependencies } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return Object.keys(devDependencies);
}

if (process.argv[1] === import.meta.filename) await bundle(join(projectDir, 'dist'), true);
