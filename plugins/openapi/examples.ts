import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';

/** Request and reply bodies recorded from the demo, by `<plugin>.<route name>`. */
export type Examples = Readonly<Record<string, { readonly request?: unknown; readonly reply?: unknown }>>;

export function readExamples(): Examples {
  return JSON.parse(readFileSync(join(projectDir, 'plugins/openapi/examples.json'), 'utf8')) as Examples;
}

/** Returns the `example` of a media type object, or no member when none was recorded. */
export function findExample(
  examples: Examples,
  { plugin, name }: RouteInfo,
  part: 'request' | 'reply',
): { example?: unknown } {
  const example = examples[`${plugin}.${name}`]?.[part];
  return example === undefined ? {} : { example };
}
