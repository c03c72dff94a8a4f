import { readFileSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import type { TSchema } from '../schema.ts';
import { readLayers, ruleIssues } from './configuration.ts';
import { jsonPositions, JsonSyntaxError, type TextPosition } from './json-positions.ts';
import { isObject } from './plain-check.ts';
import { inPlainWords } from './plain-words.ts';
import { readSecretFiles } from './secrets.ts';
import { violations } from './validator.ts';

/** One fault in the configuration. Without a position if it is not in a file that can be read. */
export interface ConfigFault extends Partial<TextPosition> {
  /** The file or the environment variable. */
  readonly source: string;
  /** The setting, as `tls.cert`; empty for the whole file. */
  readonly setting: string;
  readonly message: string;
}

/** Returns all faults of a configuration at once, and the files that it consists of. `schema` is that of all settings. */
export function configFaults(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  schema: TSchema,
): { files: string[]; faults: ConfigFault[] } {
  const faults: ConfigFault[] = [];
  const positions = new Map<string, ReadonlyMap<string, TextPosition>>();
  const layers = readLayers(file, env, {}, (path) => {
    positions.set(path, new Map());
    try {
      const text = readFileSync(path, 'utf8');
      const { positions: found, repeated } = jsonPositions(text);
      positions.set(path, found);
      for (const { path: pointer, position } of repeated)
        faults.push({ source: path, setting: dotted(pointer), message: 'is there twice', ...position });
      const settings = JSON.parse(text) as unknown;
      if (isObject(settings)) return settings;
      faults.push({ source: path, setting: '', message: 'the file must hold an object { … }', line: 1, column: 1 });
    } catch (error) {
      const position = error instanceof JsonSyntaxError ? error.position : {};
      faults.push({ source: path, setting: '', message: messageOf(error), ...position });
    }
    return {};
  });
  const { issues: found } = readSecretFiles(schema, layers.merged);
  const unread = new Set(found.map(({ path }) => path.replace(/_file$/, '')));
  for (const each of violations(schema, layers.merged))
    if (!unread.has(each.path)) found.push({ path: each.path, message: inPlainWords(each) });
  if (!found.some(({ path }) => /^\/(tls|cors_origins|admin_cors_origins)\b/.test(path)))
    found.push(...ruleIssues(layers.merged));
  for (const { path, message } of found) {
    const setting = dotted(path);
    const source = layers.sourceOf(setting) ?? file ?? 'the configuration';
    faults.push({ source, setting, message, ...nearest(positions.get(source), path) });
  }
  return { files: [...positions.keys()], faults: faults.toSorted(inOrder) };
}

const dotted = (pointer: string): string =>
  pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');

/** The position of a member, or of the nearest one that would hold it. */
function nearest(positions: ReadonlyMap<string, TextPosition> | undefined, path: string): Partial<TextPosition> {
  const found = positions?.get(path);
  return found ?? (path === '' ? {} : nearest(positions, path.slice(0, path.lastIndexOf('/'))));
}

function inOrder(a: ConfigFault, b: ConfigFault): number {
  return a.source.localeCompare(b.source) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
