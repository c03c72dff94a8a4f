import type { TSchema } from '../../kernel/schema.ts';

export type Members = Readonly<Record<string, unknown>>;

/** Keywords whose values are data rather than schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

/** Converts a reply's schema to JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function replySchema(schema: TSchema): Members {
  return converted(schema, false);
}

/** Converts the schema of a request: members that the server fills in with a default become optional. */
export function inputSchema(schema: TSchema): Members {
  return converted(schema, true);
}

/** Names of the members that a client has to send. */
export function requiredOf(schema: TSchema | undefined): string[] {
  const properties = membersOf(schema?.['properties']);
  return listOf(schema?.['required'])
    .map(String)
    .filter((name) => membersOf(properties[name])['default'] === undefined);
}

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function converted(schema: Members, isInput: boolean): Members {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (DATA.has(keyword)) return [[keyword, value]];
      if (keyword === 'properties' || keyword === 'patternProperties')
        return [
          [
            keyword,
            Object.fromEntries(
              Object.entries(membersOf(value)).map(([name, each]) => [name, converted(membersOf(each), isInput)]),
            ),
          ],
        ];
      if (keyword === 'items' && Array.isArray(value))
        return [['prefixItems', value.map((each) => converted(membersOf(each), isInput))]];
      if (keyword === 'additionalItems') return Array.isArray(schema['items']) ? [['items', value]] : [];
      if (keyword === 'required' && isInput) return [[keyword, requiredOf(schema as TSchema)]];
      if (Array.isArray(value))
        return [
          [
            keyword,
            value.map((each: unknown) => (typeof each === 'object' ? converted(membersOf(each), isInput) : each)),
          ],
        ];
      return [[keyword, typeof value === 'object' && value !== null ? converted(membersOf(value), isInput) : value]];
    }),
  );
}
