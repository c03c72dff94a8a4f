import type { Operation } from '../target/api-description.ts';
import type { TenantFixture } from './tenant-fixture.ts';

/** A request of one tenant, with the names of another tenant's things that it contains. */
export interface CrossTenantRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** The owner's things that it names; empty if it names none. */
  readonly named: readonly string[];
}

type Owner = Pick<TenantFixture, 'mark' | 'secrets'>;

/** Names of an owner's things, by the member or parameter that accepts them. */
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
/** Values of the other members: they belong to nobody, and no password is correct. */
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

/** Returns the reads that name nothing: each account sends them for its own data. */
export function plainReads(operations: readonly Operation[]): CrossTenantRequest[] {
  return operations
    .filter(
      ({ method, parameters, tag, isStream }) =>
        method === 'GET' && tag !== 'openapi' && !isStream && !parameters.some((each) => each.required),
    )
    .map((operation) => ({ operation, method: 'GET', path: operation.path, body: undefined, named: [] }));
}

/** Returns a request for each operation that accepts a name and for each name of the owner's things. */
export function namingRequests(operations: readonly Operation[], owner: Owner): CrossTenantRequest[] {
  return operations.flatMap((operation) => {
    const members = Object.keys((operation.body?.['properties'] ?? {}) as object);
    const inQuery = operation.parameters.filter((each) => each.in !== 'header').map(({ name }) => name);
    return [...inQuery, ...members].flatMap((name) =>
      (NAMED[name]?.(owner) ?? []).map((value): CrossTenantRequest => namingRequest(operation, members, name, value)),
    );
  });
}

function namingRequest(
  operation: Operation,
  members: readonly string[],
  name: string,
  value: string,
): CrossTenantRequest {
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

/** Returns a request for an operation, with the owner's name wherever one is accepted. */
export function exampleRequest(operation: Operation, { mark }: Pick<Owner, 'mark'>): CrossTenantRequest {
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

/** Members whose values change with time or machine load, or are random, such as the ids of tasks. */
// The names of the host become known while it is sampled, the same for all accounts.
const VOLATILE =
  /"(?:date|uptime|load_avg|processor|distribution|request_id|since|(?:counted|created|expires|measured|modified|removed|sampled)_at)":"[^"]*"|"etag":"\\"[^"]*\\""|"id":"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g;

/** Blanks the volatile members, so that two bodies can be compared. */
export function comparable(body: string): string {
  return body.replaceAll(VOLATILE, '""');
}
