import { Type } from '../../kernel/schema.ts';

/** A reply of any shape. */
export const Any = Type.Unsafe<Record<string, unknown>>({});

/** Routes that another node may answer: for the account at its home, and for administrators at the node that they name. */
export const FLEET_ROUTES = {
  read: { method: 'GET', path: '/read', at: 'home', summary: 'x', reply: Any },
  stream: { method: 'GET', path: '/stream', at: 'home', summary: 'x', reply: Any, produces: ['text/plain'] },
  figures: {
    method: 'GET',
    path: '/api/figures',
    at: 'node',
    address: 'admin',
    access: 'admin',
    summary: 'x',
    query: Type.Object({ node: Type.Optional(Type.String()) }),
    reply: Any,
  },
} as const;
