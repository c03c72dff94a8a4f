import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { findFiles } from '../../../kernel/kit/files/find-files.ts';
import { projectDir } from '../../../kernel/kit/files/project-dir.ts';
import type { Plugin } from '../../../kernel/contract/plugin.ts';
import type { RouteSpec } from '../../../kernel/contract/route-spec.ts';

/** The members of a JSON Schema that our descriptions use. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema | readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly default?: unknown;
}

/** Resolves with the types of all routes that are described, from the same tables from which the server describes itself. */
export async function apiTypes(): Promise<string> {
  const folder = join(projectDir, 'dist/plugins');
  const lines: string[] = [];
  for (const path of findFiles('*/index.js', folder).toSorted()) {
    const { default: plugin } = (await import(pathToFileURL(join(folder, path)).href)) as { default: Plugin };
    const table = typeof plugin.routes === 'function' ? plugin.routes({}) : plugin.routes;
    for (const route of Object.values(table).filter(({ described }) => described !== false))
      for (const each of [route.path].flat()) lines.push(`    '${route.method} ${each}': ${typeOfRoute(route)};`);
  }
  return `declare module 'hostkeep:api' {\n  export interface Api {\n${lines.join('\n')}\n  }\n}\n`;
}

function typeOfRoute({ params, query, body, reply }: RouteSpec): string {
  const of = (schema: unknown, isInput = true) =>
    schema === undefined ? 'undefined' : typeOf(schema as Schema, isInput);
  return `{ params: ${of(params)}; query: ${of(query)}; body: ${of(body)}; reply: ${of(reply, false)} }`;
}

/** Returns a schema as TypeScript. What has a default may be left out of input, and is always in replies. */
function typeOf(schema: Schema, isInput: boolean): string {
  const inner = (each: Schema) => typeOf(each, isInput);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (schema.anyOf !== undefined) return `(${schema.anyOf.map(inner).join(' | ')})`;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return Array.isArray(schema.items)
        ? `[${(schema.items as Schema[]).map(inner).join(', ')}]`
        : `(${inner((schema.items as Schema | undefined) ?? {})})[]`;
    case 'object':
      return typeOfObject(schema, isInput);
    default:
      return 'unknown';
  }
}

function typeOfObject({ properties, required = [], ...rest }: Schema, isInput: boolean): string {
  const others = Object.values(rest.patternProperties ?? {})[0] ?? rest.additionalProperties;
  if (properties === undefined || Object.keys(properties).length === 0)
    return typeof others === 'object' ? `Record<string, ${typeOf(others, isInput)}>` : 'Record<string, unknown>';
  const members = Object.entries(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name) || (isInput && schema.default !== undefined);
    return `${JSON.stringify(name)}${isOptional ? '?' : ''}: ${typeOf(schema, isInput)}`;
  });
  return `{ ${members.join('; ')} }`;
}
