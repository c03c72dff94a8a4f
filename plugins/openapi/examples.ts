import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../kernel/system/project-dir.ts';
import type { RouteInfo } from '../../kernel/plugin-api/node-info.ts';

/** Bodies sent and replies given, by plugin and name of their route, as they were recorded of the demo. */
export type Examples = Readonly<Record<string, { readonly request?: unknown; readonly reply?: unknown }>>;

export function readExamples(): Examples {
  return JSON.parse(readFileSync(join(projectDir, 'plugins/openapi/examples.json'), 'utf8')) as Examples;
}

/** The `example` of a media type object; nothing where none was recorded. */
export function exampleOf(
  examples: Examples,
  { plugin, name }: RouteInfo,
  part: 'request' | 'reply',
): { example?: unknown } {
  const example = examples[`${plugin}.${name}`]?.[part];
  return example === undefined ? {} : { example };
}
