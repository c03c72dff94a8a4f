/** Builds the pages: `npm run build`, after the compiler. With `--watch`, again with each line on its standard input. */
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { errorMessage } from '../../../kernel/errors.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import { apiTypes } from './api-types.ts';
import { APPS, mergedTexts } from './areas.ts';
import { placeIndex } from './place-index.ts';
import { bundler, readIcon, shellPage, type Bundle } from './bundle.ts';

const TARGET = join(projectDir, 'dist/plugins/pages/assets');
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Writes all files with both codings, and the manifest last: a server that reads it finds all that it names. */
async function writeAssets({ outputFiles, metafile }: Bundle, quality: number): Promise<void> {
  mkdirSync(TARGET, { recursive: true });
  const icon = readIcon();
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  const all = new Map<string, Uint8Array>([
    [iconName, icon],
    ...outputFiles.map((file) => [basename(file.path), file.contents] as const),
  ]);
  for (const [name, bytes] of all) {
    writeFileSync(join(TARGET, `${name}.gz`), gzipSync(bytes, { level: Math.min(quality, 9) }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(TARGET, `${name}.br`), brotliCompressSync(bytes, { params }));
  }
  writeFileSync(join(TARGET, 'places.json'), JSON.stringify(await placeIndex()));
  const manifest = {
    shells: Object.fromEntries(APPS.map((app) => [app, shellPage(app, metafile, iconName)])),
    types: Object.fromEntries(
      [...all.keys()].map((name) => [name, TYPES[extname(name)] ?? 'application/octet-stream']),
    ),
  };
  writeFileSync(join(TARGET, 'manifest.new'), JSON.stringify(manifest));
  renameSync(join(TARGET, 'manifest.new'), join(TARGET, 'manifest.json'));
}

/** Writes the types against which the sources of the pages are checked. */
async function writeTypes(): Promise<void> {
  const keys = Object.keys(mergedTexts('en')).toSorted();
  const texts = `declare module 'hostkeep:text-keys' {\n  export type TextKey =\n${keys.map((key) => `    | ${JSON.stringify(key)}`).join('\n')};\n}\n`;
  writeFileSync(join(projectDir, 'dist/plugins/pages/generated.d.ts'), (await apiTypes()) + texts);
}

const isWatching = process.argv.includes('--watch');
const build = await bundler(isWatching);
if (!isWatching) {
  rmSync(TARGET, { recursive: true, force: true });
  await writeAssets(await build.rebuild(), 11);
  await writeTypes();
  await build.dispose();
} else
  for await (const line of createInterface(process.stdin)) {
    const startedMs = performance.now();
    try {
      await writeAssets(await build.rebuild(), 1);
      console.log(`built the pages in ${Math.round(performance.now() - startedMs)} ms ${line}`);
    } catch (error) {
      console.log(errorMessage(error));
    }
  }
