/** Descriptions in OpenAPI, as tests read them. */
type Members = Readonly<Record<string, unknown>>;

/** Returns the description with the schema itself in place of each reference. */
export function resolved<T extends object>(description: T): T {
  const schemas = ((description as Members)['components'] as { schemas: Members }).schemas;
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...members } = value as Members;
    const target = typeof $ref === 'string' ? schemas[$ref.slice($ref.lastIndexOf('/') + 1)] : undefined;
    const rest = Object.fromEntries(Object.entries(members).map(([name, each]) => [name, inlined(each)]));
    return target === undefined ? rest : { ...(inlined(target) as Members), ...rest };
  };
  return inlined(description) as T;
}

/** Returns where a description holds objects without a name of their own, for which each generator invents one. */
export function unnamedObjects(description: object): string[] {
  const found: string[] = [];
  const visit = (value: unknown, path: readonly string[]) => {
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value && value.type === 'object' && 'properties' in value && path.at(-2) !== 'schemas')
      found.push(path.join('/'));
    for (const [name, each] of Object.entries(value)) if (name !== 'example') visit(each, [...path, name]);
  };
  visit(description, []);
  return found;
}
