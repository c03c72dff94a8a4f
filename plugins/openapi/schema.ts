import { Type } from '../../kernel/schema.ts';

export const Description = Type.Object(
  {
    openapi: Type.String(),
    info: Type.Object({ title: Type.String(), version: Type.String() }),
    paths: Type.Object({}),
  },
  { description: 'An OpenAPI 3.1 document' },
);

/** The reply of routes that do not return JSON. */
export const Text = Type.String();
