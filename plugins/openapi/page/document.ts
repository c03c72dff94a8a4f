/** The members of an OpenAPI 3.1 description that the page reads; missing ones are not shown. */
export interface Document {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** The keywords of JSON Schema in our descriptions. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
}

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}
type Content = Readonly<Record<string, Media>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-hostkeep-feature'?: readonly string[];
  readonly 'x-hostkeep-also'?: readonly string[];
  readonly 'x-hostkeep-scopes'?: readonly string[];
}

export interface Operation extends OperationObject {
  readonly method: string;
  readonly path: string;
}

export interface Group {
  readonly name: string;
  readonly about: string | undefined;
  readonly operations: readonly Operation[];
}

/** Returns the operations in which all words are found, by the plugin that has them. */
export function groupOperations({ tags = [], paths }: Document, search: string): readonly Group[] {
  const words = search.toLowerCase().split(/\s+/);
  const operations = Object.entries(paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, each]): Operation => ({ ...each, path, method: method.toUpperCase() })),
    )
    .filter(({ method, path, operationId, summary, description = '' }) => {
      const text = `${method} ${path} ${operationId} ${summary} ${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  return tags
    .map(({ name, description }) => ({
      name,
      about: description,
      operations: operations.filter(({ tags: [tag] }) => tag === name),
    }))
    .filter(({ operations: its }) => its.length > 0);
}

/** Returns what a reference stands for. */
export function resolve(schema: Schema, { components }: Document): Schema {
  const name = schemaName(schema);
  return name === undefined ? schema : (components?.schemas?.[name] ?? {});
}

/** Returns the name of a schema that others refer to. */
export function schemaName({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1);
}
