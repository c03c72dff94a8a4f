import { readFileSync } from 'node:fs';
import type { ConfigurationFiles } from '../../kernel/contract/command.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { jsonPositions, JsonSyntaxError, type TextPosition } from './json-positions.ts';

/** One fault in the configuration. Without a position if it is not in a file that can be read. */
export interface ConfigFault extends Partial<TextPosition> {
  /** The file or the environment variable. */
  readonly source: string;
  /** The setting, as `tls.cert`; empty for the whole file. */
  readonly setting: string;
  readonly message: string;
}

/** Resolves with all faults of a configuration at once, and the files that it consists of. */
export async function configFaults(
  configuration: ConfigurationFiles,
): Promise<{ files: string[]; faults: ConfigFault[] }> {
  const faults: ConfigFault[] = [];
  const positions = new Map<string, ReadonlyMap<string, TextPosition>>();
  const { issues, sourceOf } = await configuration.check((path) => {
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
      faults.push({ source: path, setting: '', message: errorMessage(error), ...position });
    }
    return {};
  });
  for (const { path, message } of issues) {
    const setting = dotted(path);
    const source = sourceOf(setting) ?? configuration.file ?? 'the configuration';
    faults.push({ source, setting, message, ...nearest(positions.get(source), path) });
  }
  return { files: [...positions.keys()], faults: faults.toSorted(inOrder) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
