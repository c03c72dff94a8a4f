import * as fc from 'fast-check';
import { methodsByPath, type Operation } from './description.ts';
import {
  hostileBody,
  hostileJson,
  hostileText,
  hugeBody,
  mangledPath,
  otherMethod,
  strangeHeader,
  strangeName,
  wrongAuthorization,
  wrongContentType,
} from './hostile.ts';
import { objectOf, valueOf } from './values.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A request before it is known who asks and what exists; values may be holes. */
export interface Draft {
  readonly operation: Operation;
  /** Which of those who can ask it does. */
  readonly who: number;
  readonly method: string;
  readonly path: Values;
  readonly query: readonly (readonly [string, unknown])[];
  readonly headers: readonly (readonly [string, string])[];
  /** JSON, or bytes as they are. */
  readonly body: unknown;
  readonly contentType: string | undefined;
  /** `{token}` stands for the token of who asks. */
  readonly authorization: string | undefined;
  readonly mangle: ((path: string) => string) | undefined;
  /** What was done to it, for people. */
  readonly flaw: string;
  /** The statuses of which it must get one, or 401 and 403 where it lost its session or feature meanwhile. */
  readonly expects: readonly number[] | undefined;
}

type Ruin = (draft: Draft) => Draft;
interface Flaw {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Ruin>;
}

const nth = fc.nat({ max: 100 });

/** Requests for an operation: half of them fit its description, half are broken in one way. */
export function draftOf(operation: Operation, operations: readonly Operation[]): fc.Arbitrary<Draft> {
  const flaws = flawsOf(operation, methodsByPath(operations).get(`${operation.address} ${operation.path}`) ?? []);
  return fc.oneof(
    { weight: 1, arbitrary: fitting(operation) },
    { weight: 1, arbitrary: fc.tuple(fitting(operation), fc.oneof(...flaws)).map(([draft, ruin]) => ruin(draft)) },
  );
}

function fitting(operation: Operation): fc.Arbitrary<Draft> {
  const { parameters, body, id } = operation;
  const operationId = id.slice(id.indexOf(' ') + 1);
  const place = (where: string) => parameters.filter((each) => each.in === where);
  const record = (where: string) =>
    fc.record(Object.fromEntries(place(where).map(({ name, schema }) => [name, valueOf(schema, name, operationId)])), {
      requiredKeys: place(where)
        .filter(({ required }) => required)
        .map(({ name }) => name),
    });
  return fc
    .record({
      who: fc.nat({ max: 1000 }),
      path: record('path'),
      query: record('query'),
      body: body === undefined ? fc.constant(undefined) : objectOf(body, operationId),
      authorization: fc.constantFrom(
        ...(operation.takesToken ? ['Bearer {token}'] : []),
        ...(operation.isGuest ? [undefined] : []),
      ),
      method: fc.constantFrom(
        operation.method,
        operation.method,
        operation.method,
        operation.method === 'GET' ? 'HEAD' : operation.method,
      ),
    })
    .map(({ query, ...rest }): Draft => ({
      ...rest,
      operation,
      query: Object.entries(query),
      headers: [],
      contentType: body === undefined ? undefined : 'application/json',
      mangle: undefined,
      flaw: 'none',
      expects: undefined,
    }));
}

function flawsOf(operation: Operation, methods: readonly string[]): Flaw[] {
  return [
    ...everywhere(operation, methods),
    ...(operation.isGuest ? [] : unauthorized(operation)),
    ...(operation.parameters.some((each) => each.in === 'path')
      ? [
          {
            weight: 4,
            arbitrary: fc
              .tuple(nth, hostileText)
              .map(([n, text]): Ruin => (draft) => ({ ...draft, path: replaced(draft.path, n, text), flaw: 'path' })),
          },
        ]
      : []),
    ...queryFlaws(operation),
    ...(operation.body === undefined ? [] : bodyFlaws(operation)),
  ];
}

function everywhere({ address }: Operation, methods: readonly string[]): Flaw[] {
  return [
    {
      weight: 1,
      arbitrary: mangledPath.map((mangle): Ruin => (draft) => ({ ...draft, mangle, flaw: 'mangled path' })),
    },
    {
      weight: 1,
      arbitrary: otherMethod
        .filter((method) => !methods.includes(method))
        .map((method): Ruin => (draft) => ({
          ...draft,
          method,
          body: undefined,
          contentType: undefined,
          flaw: 'method',
          expects: [405],
        })),
    },
    {
      weight: 1,
      arbitrary: strangeHeader.map((header): Ruin => (draft) => ({ ...draft, headers: [header], flaw: 'header' })),
    },
    ...(address === 'admin'
      ? [
          {
            weight: 1,
            arbitrary: fc
              .constantFrom('evil.example', '', '127.0.0.1.evil.example', 'localhost@evil.example')
              .map((host): Ruin => (draft) => ({
                ...draft,
                headers: [['Host', host]],
                flaw: 'host',
                expects: host === '' ? undefined : [403],
              })),
          },
        ]
      : []),
  ];
}

function unauthorized({ features, address }: Operation): Flaw[] {
  const otherRole: Ruin = (draft) => ({
    ...draft,
    authorization: 'Bearer {other}',
    flaw: 'token of the other role',
    expects: address === 'user' ? [401] : [401, 403],
  });
  return [
    {
      weight: 1,
      arbitrary: wrongAuthorization.map((authorization): Ruin => (draft) => ({
        ...draft,
        authorization,
        flaw: 'authorization',
        expects: [401],
      })),
    },
    ...(features.length > 0 && address === 'admin' ? [] : [{ weight: 1, arbitrary: fc.constant(otherRole) }]),
  ];
}

function queryFlaws({ parameters }: Operation): Flaw[] {
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const extra: Flaw = {
    weight: 1,
    arbitrary: fc
      .tuple(strangeName, hostileText)
      .map((pair): Ruin => (draft) => ({ ...draft, query: [...draft.query, pair], flaw: 'unknown query' })),
  };
  if (names.length === 0) return [extra];
  const name = fc.constantFrom(...names);
  return [
    extra,
    {
      weight: 4,
      arbitrary: fc.tuple(name, hostileText).map(([which, text]): Ruin => (draft) => ({
        ...draft,
        query: [...draft.query.filter(([each]) => each !== which), [which, text]],
        flaw: 'query',
      })),
    },
    {
      weight: 1,
      arbitrary: name.map((which): Ruin => (draft) => ({
        ...draft,
        query: [...draft.query.filter(([each]) => each !== which), [which, '1'], [which, '2']],
        flaw: 'query twice',
        expects: [400],
      })),
    },
  ];
}

function bodyFlaws({ body }: Operation): Flaw[] {
  const required = (body?.['required'] ?? []) as readonly string[];
  const change =
    (flaw: string, ruin: (members: Values, n: number) => Values, expects?: readonly number[]) =>
    (n: number): Ruin =>
    (draft) => ({ ...draft, body: ruin(draft.body as Values, n), flaw, expects });
  const bytes =
    (flaw: string, expects?: readonly number[]) =>
    (body: Buffer): Ruin =>
    (draft) => ({ ...draft, body, flaw, expects });
  return [
    {
      weight: 5,
      arbitrary: fc.tuple(nth, hostileJson).map(([n, value]): Ruin => (draft) => ({
        ...draft,
        body: replaced(draft.body as Values, n, value),
        flaw: 'member',
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(strangeName, hostileJson).map(([name, value]): Ruin => (draft) => ({
        ...draft,
        body: Object.fromEntries([...Object.entries(draft.body as Values), [name, value]]),
        flaw: 'unknown member',
      })),
    },
    ...(required.length === 0
      ? []
      : [
          {
            weight: 1,
            arbitrary: nth.map(
              change(
                'missing member',
                (members, n) =>
                  Object.fromEntries(
                    Object.entries(members).filter(([name]) => name !== required[n % required.length]),
                  ),
                [400],
              ),
            ),
          },
        ]),
    { weight: 2, arbitrary: hostileBody.map(bytes('body')) },
    { weight: 0.2, arbitrary: hugeBody.map(bytes('huge body', [413])) },
    {
      weight: 1,
      arbitrary: wrongContentType.map((contentType): Ruin => (draft) => ({
        ...draft,
        contentType,
        flaw: 'content type',
        expects: [415],
      })),
    },
    {
      weight: 1,
      arbitrary: hostileJson.map((value): Ruin => (draft) => ({
        ...draft,
        body: Buffer.from(
          `{${required.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)},${JSON.stringify(name)}:"twice"`).join(',')}}`,
        ),
        flaw: 'member twice',
      })),
    },
  ].map(({ weight, arbitrary }) => ({ weight: Math.ceil(weight * 5), arbitrary }));
}

function replaced(values: Values, n: number, by: unknown): Values {
  const names = Object.keys(values);
  const name = names[n % Math.max(1, names.length)];
  return name === undefined ? values : { ...values, [name]: by };
}
