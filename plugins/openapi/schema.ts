import { NamedObject, Type } from '../../kernel/schema.ts';

const open = { additionalProperties: true } as const;
export const Description = NamedObject(
  'ApiDescription',
  {
    openapi: Type.String(),
    info: NamedObject('ApiInfo', { title: Type.String(), version: Type.String() }, open),
    paths: NamedObject('ApiPaths', {}, open),
  },
  { ...open, description: 'An OpenAPI 3.1 document' },
);

/** The reply of routes that do not return JSON. */
export const Text = Type.String();
