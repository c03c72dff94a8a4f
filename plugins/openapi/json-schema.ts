import type { TSchema } from '../../kernel/schema.ts';
import { asMembers, type Members } from './members.ts';
import type { NamedSchemas } from './named-schemas.ts';

/** Keywords whose values are data rather than schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);

/** The pattern of `Type.Record` for names of any kind. */
const ANY_NAME = '^(.*)$';

/** Converts a reply's schema to JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function replySchema(schema: TSchema, named: NamedSchemas): Members {
  return new Conversion(named, false).of(schema);
}

/** Converts the schema of a request: members that the server fills in with a default become optional. */
export function inputSchema(schema: TSchema, named: NamedSchemas): Members {
  return new Conversion(named, true).of(schema);
}

/** Names of the members that a client has to send. */
export function requiredMembers(schema: TSchema | undefined): string[] {
  const properties = asMembers(schema?.['properties']);
  return listOf(schema?.['required'])
    .map(String)
    .filter((name) => asMembers(properties[name])['default'] === undefined);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

class Conversion {
  readonly #named: NamedSchemas;
  readonly #isInput: boolean;

  constructor(named: NamedSchemas, isInput: boolean) {
    this.#named = named;
    this.#isInput = isInput;
  }

  of({ title, ...schema }: Members): Members {
    const converted = Object.fromEntries(
      Object.entries(schema).flatMap(([keyword, value]) => this.#keyword(schema, keyword, value)),
    );
    return typeof title === 'string' ? this.#named.reference(title, converted) : converted;
  }

  #keyword(schema: Members, keyword: string, value: unknown): [string, unknown][] {
    if (DATA.has(keyword)) return [[keyword, value]];
    if (keyword === 'patternProperties') return this.#record(asMembers(value));
    if (keyword === 'properties') {
      const members = Object.entries(asMembers(value)).map(([name, member]) => {
        const given = asMembers(member);
        return [name, this.of(this.#isInput ? withDefaultInWords(given) : given)];
      });
      return [[keyword, Object.fromEntries(members)]];
    }
    if (keyword === 'items' && Array.isArray(value))
      return [['prefixItems', value.map((each) => this.of(asMembers(each)))]];
    if (keyword === 'additionalItems') return Array.isArray(schema['items']) ? [['items', value]] : [];
    if (keyword === 'required' && this.#isInput) return [[keyword, requiredMembers(schema as TSchema)]];
    if (Array.isArray(value))
      return [[keyword, value.map((each: unknown) => (typeof each === 'object' ? this.of(asMembers(each)) : each))]];
    return [[keyword, typeof value === 'object' && value !== null ? this.of(asMembers(value)) : value]];
  }

  /** Returns a record by a pattern as generators know it; the pattern for any name says nothing. */
  #record(byPattern: Members): [string, unknown][] {
    const [[pattern, value] = ['', {}]] = Object.entries(byPattern);
    const names: [string, unknown][] = pattern === ANY_NAME ? [] : [['propertyNames', { pattern }]];
    return [['additionalProperties', this.of(asMembers(value))], ...names];
  }
}

/**
 * Moves the default of a body's member into its description, because generators (openapi-typescript for one) take a
 * member with a default for one that is always there.
 */
function withDefaultInWords({ default: value, ...schema }: Members): Members {
  if (value === undefined) return schema;
  const words = `${JSON.stringify(value)} unless given`;
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description}; ${words}` : words };
}
