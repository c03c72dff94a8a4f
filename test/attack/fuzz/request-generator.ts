import * as fc from 'fast-check';
import { methodsByPath, type Operation } from '../target/api-description.ts';
import { mutationsFor } from './mutations.ts';
import type { RequestTemplate } from './request-template.ts';
import { objectOf, valueOf } from './valid-values.ts';

/** Generates requests for an operation: half are valid by its description, half are invalid in one way. */
export function requestTemplates(
  operation: Operation,
  operations: readonly Operation[],
): fc.Arbitrary<RequestTemplate> {
  const mutations = mutationsFor(
    operation,
    methodsByPath(operations).get(`${operation.address} ${operation.path}`) ?? [],
  );
  return fc.oneof(
    { weight: 1, arbitrary: validRequest(operation) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(validRequest(operation), fc.oneof(...mutations))
        .map(([template, mutate]) => mutate(template)),
    },
  );
}

const TUS = ['Tus-Resumable', '1.0.0'] as const;
/** Headers without which an operation does not succeed. */
const HEADERS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'pages.start': [['Accept', 'text/html']],
  'pages.home': [['Accept', 'text/html']],
  'pages.console': [['Accept', 'text/html']],
  'uploads.create': [TUS, ['Upload-Length', '3'], ['Upload-Metadata', `path ${btoa('fuzz.bin')}`]],
  'uploads.write': [TUS, ['Upload-Offset', '0'], ['Content-Type', 'application/offset+octet-stream']],
  'uploads.remove': [TUS],
};

const part = (name: string, value: string) =>
  `--between\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`;
const batch = `${part('name="files"', '[{"path":"fuzz.txt"}]')}${part('name="content"; filename="a"', 'text')}--between--`;
/** Bodies that are no JSON, of operations that succeed with nothing else. */
const BODIES: Readonly<Record<string, { readonly contentType: string; readonly body: Buffer }>> = {
  'file-batches.upload': { contentType: 'multipart/form-data; boundary=between', body: Buffer.from(batch) },
};

/** Generates requests that are valid by the description of the operation. */
export function validRequest(operation: Operation): fc.Arbitrary<RequestTemplate> {
  const { parameters, body, id } = operation;
  const operationId = id.slice(id.indexOf(' ') + 1).replace(/\.\d+$/, ''); // a number marks further paths of a route
  const place = (where: string) => parameters.filter((each) => each.in === where);
  const record = (where: string) =>
    fc.record(Object.fromEntries(place(where).map(({ name, schema }) => [name, valueOf(schema, name, operationId)])), {
      requiredKeys: place(where)
        .filter(({ required }) => required)
        .map(({ name }) => name),
    });
  return fc
    .record({
      nthAccount: fc.nat({ max: 1000 }),
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
    .map(({ query, ...rest }): RequestTemplate => ({
      ...rest,
      operation,
      query: Object.entries(query),
      headers: HEADERS[operationId] ?? [],
      contentType: body === undefined ? undefined : 'application/json',
      ...BODIES[operationId],
      mangle: undefined,
      flaw: 'none',
      expects: undefined,
    }));
}
