import { NamedObject, Type, type Static } from '../../kernel/schema.ts';

const open = { additionalProperties: true } as const;
const Id = Type.Union([Type.String({ maxLength: 200 }), Type.Integer()]);
const Version = Type.Literal('2.0');

/** One message. Batches, which the protocol dropped in its version 2025-06-18, are arrays and refused. */
export const McpMessage = NamedObject(
  'McpMessage',
  {
    jsonrpc: Version,
    id: Type.Optional(Id),
    method: Type.String({ maxLength: 100, description: '`initialize`, `tools/list`, `tools/call` and others' }),
    params: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Type.String({ maxLength: 200, description: 'The tool' })),
          arguments: Type.Optional(Type.Object({}, open)),
          uri: Type.Optional(Type.String({ maxLength: 200, description: 'The resource' })),
        },
        open,
      ),
    ),
  },
  { ...open, description: 'A request or a notification of JSON-RPC 2.0' },
);
export type McpMessage = Static<typeof McpMessage>;

const McpFault = NamedObject('McpFault', { code: Type.Integer(), message: Type.String() }, open);

export const McpAnswer = NamedObject(
  'McpAnswer',
  {
    jsonrpc: Version,
    id: Type.Union([Id, Type.Null()]),
    result: Type.Optional(Type.Object({}, open)),
    error: Type.Optional(McpFault),
  },
  { ...open, description: 'A response of JSON-RPC 2.0' },
);
