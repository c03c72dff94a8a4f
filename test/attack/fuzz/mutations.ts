import * as fc from 'fast-check';
import type { Operation } from '../target/api-description.ts';
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
} from './hostile-values.ts';
import type { RequestTemplate, Values } from './request-template.ts';

/** Makes a valid request invalid in one way. */
type Mutation = (template: RequestTemplate) => RequestTemplate;
interface WeightedMutation {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Mutation>;
}

const nth = fc.nat({ max: 100 });

/** The ways to break a request for an operation; `methods` are those that its path supports. */
export function mutationsFor(operation: Operation, methods: readonly string[]): WeightedMutation[] {
  return [
    ...anyRequestMutations(operation, methods),
    ...(operation.isGuest ? [] : tokenMutations(operation)),
    ...(operation.parameters.some((each) => each.in === 'path')
      ? [
          {
            weight: 4,
            arbitrary: fc.tuple(nth, hostileText).map(([n, text]): Mutation => (template) => ({
              ...template,
              path: replaced(template.path, n, text),
              flaw: 'path',
            })),
          },
        ]
      : []),
    ...queryMutations(operation),
    ...(operation.body === undefined ? [] : bodyMutations(operation)),
  ];
}

function anyRequestMutations({ address }: Operation, methods: readonly string[]): WeightedMutation[] {
  return [
    {
      weight: 1,
      arbitrary: mangledPath.map((mangle): Mutation => (template) => ({ ...template, mangle, flaw: 'mangled path' })),
    },
    {
      weight: 1,
      arbitrary: otherMethod
        .filter((method) => !methods.includes(method))
        .map((method): Mutation => (template) => ({
          ...template,
          method,
          body: undefined,
          contentType: undefined,
          flaw: 'method',
          expects: [405],
        })),
    },
    {
      weight: 1,
      arbitrary: strangeHeader.map((header): Mutation => (template) => ({
        ...template,
        headers: [header],
        flaw: 'header',
      })),
    },
    ...(address === 'admin'
      ? [
          {
            weight: 1,
            arbitrary: fc
              .constantFrom('evil.example', '', '127.0.0.1.evil.example', 'localhost@evil.example')
              .map((host): Mutation => (template) => ({
                ...template,
                headers: [['Host', host]],
                flaw: 'host',
                expects: host === '' ? undefined : [403],
              })),
          },
        ]
      : []),
  ];
}

function tokenMutations({ features, address }: Operation): WeightedMutation[] {
  const otherRole: Mutation = (template) => ({
    ...template,
    authorization: 'Bearer {other}',
    flaw: 'token of the other role',
    expects: address === 'user' ? [401] : [401, 403],
  });
  return [
    {
      weight: 1,
      arbitrary: wrongAuthorization.map((authorization): Mutation => (template) => ({
        ...template,
        authorization,
        flaw: 'authorization',
        expects: [401],
      })),
    },
    ...(features.length > 0 && address === 'admin' ? [] : [{ weight: 1, arbitrary: fc.constant(otherRole) }]),
  ];
}

function queryMutations({ parameters }: Operation): WeightedMutation[] {
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const extra: WeightedMutation = {
    weight: 1,
    arbitrary: fc.tuple(strangeName, hostileText).map((pair): Mutation => (template) => ({
      ...template,
      query: [...template.query, pair],
      flaw: 'unknown query',
    })),
  };
  if (names.length === 0) return [extra];
  const name = fc.constantFrom(...names);
  return [
    extra,
    {
      weight: 4,
      arbitrary: fc.tuple(name, hostileText).map(([which, text]): Mutation => (template) => ({
        ...template,
        query: [...template.query.filter(([each]) => each !== which), [which, text]],
        flaw: 'query',
      })),
    },
    {
      weight: 1,
      arbitrary: name.map((which): Mutation => (template) => ({
        ...template,
        query: [...template.query.filter(([each]) => each !== which), [which, '1'], [which, '2']],
        flaw: 'query twice',
        expects: [400],
      })),
    },
  ];
}

function bodyMutations({ body }: Operation): WeightedMutation[] {
  const required = (body?.['required'] ?? []) as readonly string[];
  const change =
    (flaw: string, mutate: (members: Values, n: number) => Values, expects?: readonly number[]) =>
    (n: number): Mutation =>
    (template) => ({ ...template, body: mutate(template.body as Values, n), flaw, expects });
  const bytes =
    (flaw: string, expects?: readonly number[]) =>
    (body: Buffer): Mutation =>
    (template) => ({ ...template, body, flaw, expects });
  return [
    {
      weight: 5,
      arbitrary: fc.tuple(nth, hostileJson).map(([n, value]): Mutation => (template) => ({
        ...template,
        body: replaced(template.body as Values, n, value),
        flaw: 'member',
      })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(strangeName, hostileJson).map(([name, value]): Mutation => (template) => ({
        ...template,
        body: Object.fromEntries([...Object.entries(template.body as Values), [name, value]]),
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
      arbitrary: wrongContentType.map((contentType): Mutation => (template) => ({
        ...template,
        contentType,
        flaw: 'content type',
        expects: [415],
      })),
    },
    {
      weight: 1,
      arbitrary: hostileJson.map((value): Mutation => (template) => ({
        ...template,
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
