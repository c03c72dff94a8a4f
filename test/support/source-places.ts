import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';

/** A place in a compiled file, as stacks have it. */
const PLACE = /(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g;

/**
 * Returns a text with the places in compiled files replaced by those in their sources, below the project's folder. Node.js would
 * do that in each process of a test, and read the maps of all that it loads.
 */
export function inSources(text: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return text.replaceAll(PLACE, (compiled: string, path: string, line: string, column: string) => {
    if (!maps.has(path)) maps.set(path, mapOf(path));
    const origin = maps.get(path)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return compiled;
    const source = relative(projectDir, resolve(dirname(path), origin.fileName));
    return `${source}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function mapOf(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined; // a package's file, which is its own source
  }
}
