import type { Address, RouteSpec } from '../../kernel/contract/route-spec.ts';
import { Type, type TSchema } from '../../kernel/schema.ts';
import { adminRows } from './admin-rows.ts';
import { MISSING, TAKEN } from './missing.ts';
import type { Row } from './row.ts';
import { userRows } from './user-rows.ts';

/** Where every path answers in OpenPanel's form, also those that are ours with another form. */
export const PREFIX = '/openpanel';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** By address; the admin address is for administrators. All rights beyond that are asked for by the operations that are called. */
export const GATES = {
  user: { address: 'user', access: 'user' },
  admin: { address: 'admin', access: 'admin' },
} as const;
/** The forms are OpenPanel's, whose documentation describes them. */
const shared = { described: false, reply: Type.Unknown() } as const;
export const DELEGATED = { ...shared, tokens: 'delegated' } as const;

/** A row with its route and the name of that. */
export interface Translated {
  readonly name: string;
  readonly row: Row;
  readonly spec: RouteSpec;
}
/** A path without a counterpart, and the feature to which it belongs. */
export interface Missing {
  readonly name: string;
  readonly feature: string;
  readonly spec: RouteSpec;
}

/** All that OpenPanel documents, by address: what is translated, and what is not there. */
export const translated: readonly Translated[] = [...tableOf('user', userRows), ...tableOf('admin', adminRows)];
export const missing: readonly Missing[] = [...missingOf('user', userRows), ...missingOf('admin', adminRows)];

function tableOf(address: Address, rows: readonly Row[]): Translated[] {
  return rows.map((row) => ({ name: `${address} ${row.is}`, row, spec: specOf(row, address) }));
}

function specOf(row: Row, address: Address): RouteSpec {
  const [method, path] = split(row.is);
  const headers = [...new Set(row.steps.flatMap((step) => step.headers ?? []))];
  const params = [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']): [string, TSchema] => [name, Type.String()]);
  const query = (row.query ?? []).map((name): [string, TSchema] => [name, Type.Optional(Type.String())]);
  return {
    ...GATES[address],
    ...(row.access === 'guest' ? { ...shared, access: 'guest', replies: { 401: Type.Unknown() } } : DELEGATED),
    method,
    path: row.isTaken === true ? PREFIX + path : [path, PREFIX + path],
    summary: `${row.is} of OpenPanel: ${row.steps.map(({ calls }) => calls).join(', ')}`,
    ...(params.length > 0 && { params: Type.Object(Object.fromEntries(params)) }),
    ...(query.length > 0 && { query: Type.Object(Object.fromEntries(query)) }),
    ...(row.takes !== undefined && { body: bodyOf(row.takes, row.choices) }),
    ...(headers.length > 0 && { headers }),
    ...(row.status !== undefined && { status: row.status }),
    ...(row.produces !== undefined && { produces: row.produces }),
  };
}

/** The operation that is called checks the values. */
function bodyOf(takes: readonly string[], choices: Row['choices'] = {}) {
  const members = takes.map((each): [string, TSchema] => {
    const name = each.replace(/!$/, '');
    const schema = choices[name] === undefined ? Type.Unknown() : Type.String({ enum: [...choices[name]] });
    return [name, name === each ? Type.Optional(schema) : schema];
  });
  return Type.Object(Object.fromEntries(members));
}

function missingOf(address: Address, rows: readonly Row[]): Missing[] {
  const there = new Set(rows.map(({ is }) => keyOf(...split(is))));
  return Object.entries(MISSING[address]).flatMap(([feature, patterns]) =>
    patterns.flatMap((pattern) => {
      const operations = pattern.startsWith('/')
        ? METHODS.map((method) => [method, pattern] as const)
        : [split(pattern)];
      return operations
        .filter(([method, path]) => !there.has(keyOf(method, path)))
        .map(([method, path]) => {
          const spec = {
            ...DELEGATED,
            ...GATES[address],
            method,
            path: TAKEN.includes(`${method} ${path}`) ? PREFIX + path : [path, PREFIX + path],
            summary: `501: ${feature}`,
          };
          return { name: `${address} ${method} ${path}`, feature, spec };
        });
    }),
  );
}

function split(operation: string): readonly [method: RouteSpec['method'], path: string] {
  const [method = '', path = ''] = operation.split(' ');
  return [method as RouteSpec['method'], path];
}

/** Patterns with the same key match the same paths. */
function keyOf(method: string, path: string): string {
  return `${method} ${path.replace(/:\w+/g, ':').replace(/\*\w+$/, '*')}`;
}
