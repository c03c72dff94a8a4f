import type { Operation } from '../target/api-description.ts';
import type { TenantFixture } from './tenant-fixture.ts';

/** A request that says whose things it names. */
export interface CrossTenantRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** What of an owner it names; empty where it names nothing. */
  readonly named: readonly string[];
}

type Owner = Pick<TenantFixture, 'mark' | 'secrets'>;

/** Ways to name a thing of an owner, by the name of the member or parameter that takes it. */
const NAMED: Readonly<Record<string, (owner: Owner) => readonly string[]>> = {
  domain_url: ({ mark }) => [`${mark}.example`, `sub.${mark}.example`, `${mark.toUpperCase()}.example.`],
  domain: ({ mark }) => [`${mark}.example`, `${mark}.example/`, `sub.${mark}.example`],
  database: ({ mark }) => [`${mark}.sqlite`, `../../${mark}/databases/${mark}.sqlite`, mark],
  folder: ({ mark }) => foldersOf(mark),
  path: ({ mark }) => [...foldersOf(mark), `${mark}.example`, `${mark}.example/a`, `sub.${mark}.example`],
  link: ({ mark }) => [`/${mark}`],
  q: ({ mark }) => [mark],
  search: ({ mark }) => [mark],
  id: ({ secrets }) => secrets.slice(-2),
};
/** What else a request needs; nothing of it is anybody's, and no password is right. */
const FILLER: Readonly<Record<string, unknown>> = {
  title: 'x',
  locale: 'de',
  password: 'wrong horse battery',
  new_password: 'another horse battery',
  code: '000000',
  docroot: '../x',
};

function foldersOf(mark: string): string[] {
  return [
    `${mark}-folder`,
    `/var/www/html/${mark}-folder`,
    `${mark}.example`,
    `../${mark}`,
    `/var/www/html/../${mark}/${mark}-folder`,
    `../../files/${mark}`,
  ];
}

/** Reads that name nothing: what everybody may ask of their own. */
export function plainReads(operations: readonly Operation[]): CrossTenantRequest[] {
  return operations
    .filter(
      ({ method, parameters, tag, isStream }) =>
        method === 'GET' && tag !== 'openapi' && !isStream && !parameters.some((each) => each.required),
    )
    .map((operation) => ({ operation, method: 'GET', path: operation.path, body: undefined, named: [] }));
}

/** Requests for every operation that takes a name of something, once with each name of the owner's things. */
export function namingRequests(operations: readonly Operation[], owner: Owner): CrossTenantRequest[] {
  return operations.flatMap((operation) => {
    const members = Object.keys((operation.body?.['properties'] ?? {}) as object);
    const inQuery = operation.parameters.filter((each) => each.in !== 'header').map(({ name }) => name);
    return [...inQuery, ...members].flatMap((name) =>
      (NAMED[name]?.(owner) ?? []).map((value): CrossTenantRequest => request(operation, members, name, value)),
    );
  });
}

function request(operation: Operation, members: readonly string[], name: string, value: string): CrossTenantRequest {
  const where = operation.parameters.find((each) => each.name === name)?.in;
  const written = encodeURIComponent(value);
  const path =
    where === 'path'
      ? operation.path.replace(
          `{${name}}`,
          operation.path.endsWith('{path}') ? written.replaceAll('%2F', '/') : written,
        )
      : where === 'query'
        ? `${operation.path}?${name}=${written}`
        : operation.path;
  const required = new Set((operation.body?.['required'] ?? []) as string[]);
  const body =
    operation.body === undefined
      ? undefined
      : Object.fromEntries(
          members
            .filter((each) => each === name || required.has(each))
            .map((each) => [each, each === name ? value : FILLER[each]]),
        );
  return { operation, method: operation.method, path, body, named: [value] };
}

/** Any request for an operation, with an owner's name wherever it takes one. */
export function exampleFor(operation: Operation, { mark }: Pick<Owner, 'mark'>): CrossTenantRequest {
  const members = Object.keys((operation.body?.['properties'] ?? {}) as object);
  const body =
    operation.body === undefined ? undefined : Object.fromEntries(members.map((name) => [name, FILLER[name] ?? mark]));
  return {
    operation,
    method: operation.method,
    path: operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'name' ? `${mark}-plan` : name === 'feature' ? 'waf' : mark,
    ),
    body,
    named: [],
  };
}

/** Times and what the machine does meanwhile; the same question has another answer a second later. */
const VOLATILE = /"(?:date|uptime|load_avg|request_id|created_at|expires_at)":"[^"]*"/g;

/** A body as it can be compared with another. */
export function comparable(body: string): string {
  return body.replaceAll(VOLATILE, '""');
}
