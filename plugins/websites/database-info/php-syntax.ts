import { Engine } from 'php-parser';
import { HttpError, messageOf } from '../../../kernel/errors.ts';

/** A node of the syntax tree; which members it has follows from its kind. */
export interface Node {
  readonly kind: string;
  readonly [member: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { kind?: unknown }).kind === 'string';
}

/** The nodes of a member that holds one, many or none. */
export function nodesOf(value: unknown): readonly Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

/** The name that a node carries, whether as text or as an identifier. */
export function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : isNode(value) ? nameOf(value['name']) : undefined;
}

/** The statements of PHP text. Synchronous, up to half a second for 1 MiB. Errors: 422 `invalid_config_file`. */
export function parsePhp(text: string): readonly Node[] {
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
