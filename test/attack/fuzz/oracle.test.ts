/** Shows that the oracle detects each kind of violation, on responses written by hand. */
import * as assert from '../../support/assert.ts';
import { testSuite } from '../../support/suite.ts';
import { newAccount } from './test-accounts.ts';
import type { RawResponse } from '../target/response-reader.ts';
import { methodsByPath, operationsOf, type Schema } from '../target/api-description.ts';
import type { RequestTemplate } from './request-template.ts';
import { Oracle } from './oracle.ts';
import type { PreparedRequest } from './prepared-request.ts';

const test = testSuite('attack: oracle');
const JSON_TYPE = 'application/json';
const described = (description: string, type: string, schema: Schema) => ({
  description,
  content: { [type]: { schema } },
});
const [operation] = operationsOf('user', {
  paths: {
    '/things': {
      get: {
        operationId: 'things.list',
        tags: ['things'],
        security: [{ bearer: [] }],
        responses: {
          200: described('OK', JSON_TYPE, {
            type: 'object',
            required: ['things'],
            properties: { things: { type: 'array', items: { type: 'string' } } },
          }),
          401: described('Unauthorized: `authentication_required`', 'application/problem+json', {
            $ref: '#/components/schemas/Problem',
          }),
        },
      },
    },
  },
  components: {
    schemas: { Problem: { type: 'object', required: ['type', 'title', 'status', 'detail', 'error', 'request_id'] } },
  },
});
if (operation === undefined) throw new Error('no operation');
const oracle = new Oracle(methodsByPath([operation]), ['/srv/data']);

const template: RequestTemplate = {
  operation,
  nthAccount: 0,
  method: 'GET',
  path: {},
  query: [],
  headers: [],
  body: undefined,
  contentType: undefined,
  authorization: 'Bearer x',
  mangle: undefined,
  flaw: 'none',
  expects: undefined,
};
const requestFor = (change: Partial<RequestTemplate> = {}, method = 'GET'): PreparedRequest => ({
  template: { ...template, method, ...change },
  account: newAccount('ann', 'user', ''),
  json: undefined,
  isParseable: true,
  mayMissOperation: false,
  method,
  target: '/things',
  headers: [],
});
function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RawResponse {
  const all = {
    'content-type': status < 400 ? JSON_TYPE : 'application/problem+json',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
  };
  return {
    status,
    headers: Object.entries(all),
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}
let lastId = 0;
const problem = (status: number, error: string, id = String((lastId += 1))) => ({
  type: `urn:hostkeep:error:${error}`,
  title: 'x',
  status,
  detail: 'x',
  error,
  request_id: id,
});
const good = { things: ['a'] };
const challenge = { 'www-authenticate': 'Bearer' };

test('valid responses pass, each request id once', () => {
  assert.is(
    oracle.verdict(requestFor(), answer(401, problem(401, 'authentication_required', 'once'), challenge)),
    undefined,
  );
  assert.match(
    oracle.verdict(requestFor(), answer(401, problem(401, 'authentication_required', 'once'), challenge)) ?? '',
    /second time/,
  );
  assert.is(oracle.verdict(requestFor(), answer(200, good)), undefined);
  assert.is(oracle.verdict(requestFor(), answer(401, problem(401, 'authentication_required'), challenge)), undefined);
  assert.is(
    oracle.verdict(
      requestFor({ expects: [405] }, 'PUT'),
      answer(405, problem(405, 'method_not_allowed'), { allow: 'GET, HEAD' }),
    ),
    undefined,
  );
  assert.is(oracle.verdict(requestFor({}, 'HEAD'), answer(200, '')), undefined);
});

for (const [what, received, request] of [
  ['a missing member', answer(200, {})],
  ['a member of the wrong type', answer(200, { things: [1] })],
  ['a body that is not JSON', answer(200, 'things')],
  ['an undescribed media type', answer(200, good, { 'content-type': 'text/html' })],
  ['an undescribed status', answer(204, '')],
  ['an internal error', answer(500, problem(500, 'internal_error'))],
  ['a 503 without Retry-After', answer(503, problem(503, 'overloaded'))],
  ['an incomplete problem document', answer(401, { error: 'authentication_required' }, challenge)],
  ['a problem with another status', answer(401, problem(401, 'not_found'), challenge)],
  ['an undescribed error code', answer(401, problem(401, 'invalid_credentials'), challenge)],
  ['a 401 without a challenge', answer(401, problem(401, 'authentication_required'))],
  ['control characters in a header', answer(200, good, { 'x-name': 'a\u0001b' })],
  ['access for every origin', answer(200, good, { 'access-control-allow-origin': '*' })],
  ['a missing Cache-Control', answer(200, good, { 'cache-control': '' })],
  ['a missing X-Content-Type-Options', answer(200, good, { 'x-content-type-options': '' })],
  ['the data folder', answer(200, { things: ['/srv/data/x'] })],
  ['a stack trace', answer(200, { things: ['at x (/a/node_modules/b.js:1:2)'] })],
  ['a password hash', answer(200, { things: ['$argon2id$v=19$'] })],
  ['a body in a response to HEAD', answer(200, good), requestFor({}, 'HEAD')],
  ['405 for a described method', answer(405, problem(405, 'method_not_allowed'), { allow: 'GET, HEAD' })],
  ['405 with a wrong Allow', answer(405, problem(405, 'method_not_allowed'), { allow: 'GET' }), requestFor({}, 'PUT')],
  ['success with an invalid token', answer(200, good), requestFor({ expects: [401] })],
  ['success with an invalid body', answer(200, good), requestFor({ expects: [400] })],
] as const) {
  test(`reports ${what}`, () => assert.type(oracle.verdict(request ?? requestFor(), received), 'string'));
}
