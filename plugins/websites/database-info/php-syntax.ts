import { createRequire } from 'node:module';
import { HttpError, messageOf } from '../../../kernel/errors.ts';

/** Loads the parser with the first file: most processes never read one. */
const require = createRequire(import.meta.url);

/** A node of the syntax tree; its kind determines its other members. */
export interface Node {
  readonly kind: string;
  readonly [member: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { kind?: unknown }).kind === 'string';
}

/** The nodes of a member that holds one, several or none. */
export function nodesOf(value: unknown): readonly Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

/** The name of a node, which holds it as a string or as another node. */
export function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : isNode(value) ? nameOf(value['name']) : undefined;
}

/** Parses PHP into statements. Takes up to half a second for 1 MiB. Errors: 422 `invalid_config_file`. */
export function parsePhp(text: string): readonly Node[] {
  const { Engine } = require('php-parser') as typeof import('php-parser');
  try {
    const engine = new Engine({
      parser: { extractDoc: false, suppressErrors: false, version: '8.3' },
      ast: { withPositions: false },
    });
    return nodesOf(engine.parseCode(text, 'config.php').children);
  } catch (cause) {
    throw new HttpError(
      'invalid_config_file',
      `the configuration file is not valid PHP: ${messageOf(cause)
        .replace(/^Parse Error\s*:\s*/, '')
        .slice(0, 200)}`,
      { cause },
    );
  }
}
