import { build } from 'esbuild';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import type { PlaceIndex } from '../place-index.ts';
import { areaFiles } from './areas.ts';

interface Described {
  readonly pages?: readonly {
    readonly path: string;
    readonly features?: readonly string[];
    readonly isPublic?: boolean;
  }[];
  readonly parts?: readonly { readonly page: string; readonly features?: readonly string[] }[];
}

/** Resolves with the pages of customers, and where each feature is shown, as the areas themselves describe them. */
export async function placeIndex(): Promise<PlaceIndex> {
  const areas = await describedAreas();
  const pages = areas.flatMap((area) => area.pages ?? []);
  const parts = areas.flatMap((area) => area.parts ?? []).map(({ page, features }) => ({ path: page, features }));
  const features = new Set([...pages, ...parts].flatMap((each) => each.features ?? []));
  const bySize = pages.toSorted((a, b) => (a.features?.length ?? 0) - (b.features?.length ?? 0));
  const placeOfFeature = (feature: string) =>
    pages.find((page) => page.features?.[0] === feature) ??
    [...bySize, ...parts].find((each) => each.features?.includes(feature) === true);
  return {
    // The plugin of a public page leads every client to it itself.
    paths: pages.flatMap(({ path, isPublic }) => (isPublic === true ? [] : [path])).toSorted(),
    features: Object.fromEntries([...features].toSorted().map((name) => [name, placeOfFeature(name)?.path ?? '/'])),
  };
}

/** Runs what describes the areas, without the code of their pages and of the kit. */
async function describedAreas(): Promise<readonly Described[]> {
  const files = areaFiles('home');
  const outfile = join(projectDir, 'dist/plugins/pages/described-areas.mjs');
  await build({
    outfile,
    stdin: {
      contents: `export default [${files.map((file) => `require(${JSON.stringify(file)}).default`).join(', ')}];`,
      resolveDir: projectDir,
    },
    absWorkingDir: projectDir,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [
      {
        name: 'descriptions only',
        setup(one) {
          one.onResolve({ filter: /./ }, ({ path, kind }) => {
            if (kind === 'entry-point' || kind === 'require-call') return undefined;
            return kind === 'dynamic-import' ? { path, external: true } : { path: 'kit', namespace: 'kit' };
          });
          one.onLoad({ filter: /./, namespace: 'kit' }, () => ({ contents: 'exports.defineArea = (area) => area;' }));
        },
      },
    ],
  });
  return ((await import(pathToFileURL(outfile).href)) as { default: readonly Described[] }).default;
}
