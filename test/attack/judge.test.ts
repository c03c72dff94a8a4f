/** That the judge of the attack sees what must not be: each verdict on an answer of the tests' own. */
import * as assert from 'uvu/assert';
import { testSuite } from '../support/suite.ts';
import { actorOf } from './cast.ts';
import type { Received } from './client.ts';
import { methodsByPath, operationsOf, type Schema } from './description.ts';
import type { Draft } from './draft.ts';
import { Judge } from './judge.ts';
import type { Question } from './question.ts';

const test = testSuite('attack: judge');
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
const judge = new Judge(methodsByPath([operation]), ['/srv/data']);

const draft: Draft = {
  operation,
  who: 0,
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
const asked = (change: Partial<Draft> = {}, method = 'GET'): Question => ({
  draft: { ...draft, method, ...change },
  actor: actorOf('ann', 'user', ''),
  json: undefined,
  isHttp: true,
  isElsewhere: false,
  method,
  target: '/things',
  headers: [],
});
function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Received {
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

test('answers that are as described are let pass, each request id once', () => {
  assert.is(judge.verdict(asked(), answer(401, problem(401, 'authentication_required', 'once'), challenge)), undefined);
  assert.match(
    judge.verdict(asked(), answer(401, problem(401, 'authentication_required', 'once'), challenge)) ?? '',
    /second time/,
  );
  assert.is(judge.verdict(asked(), answer(200, good)), undefined);
  assert.is(judge.verdict(asked(), answer(401, problem(401, 'authentication_required'), challenge)), undefined);
  assert.is(
    judge.verdict(
      asked({ expects: [405] }, 'PUT'),
      answer(405, problem(405, 'method_not_allowed'), { allow: 'GET, HEAD' }),
    ),
    undefined,
  );
  assert.is(judge.verdict(asked({}, 'HEAD'), answer(200, '')), undefined);
});

for (const [what, received, question] of [
  ['a member that is missing', answer(200, {})],
  ['a member of another type', answer(200, { things: [1] })],
  ['no JSON', answer(200, 'things')],
  ['a type that is not described', answer(200, good, { 'content-type': 'text/html' })],
  ['a status that is not described', answer(204, '')],
  ['a fault', answer(500, problem(500, 'internal_error'))],
  ['a 503 that does not say when', answer(503, problem(503, 'overloaded'))],
  ['a problem that is none', answer(401, { error: 'authentication_required' }, challenge)],
  ['a problem of another status', answer(401, problem(401, 'not_found'), challenge)],
  ['a problem that is not named', answer(401, problem(401, 'invalid_credentials'), challenge)],
  ['a 401 without a challenge', answer(401, problem(401, 'authentication_required'))],
  ['control characters in a header', answer(200, good, { 'x-name': 'a\u0001b' })],
  ['an open door for other origins', answer(200, good, { 'access-control-allow-origin': '*' })],
  ['no Cache-Control', answer(200, good, { 'cache-control': '' })],
  ['no X-Content-Type-Options', answer(200, good, { 'x-content-type-options': '' })],
  ['the data folder', answer(200, { things: ['/srv/data/x'] })],
  ['a trace', answer(200, { things: ['at x (/a/node_modules/b.js:1:2)'] })],
  ['a hash', answer(200, { things: ['$argon2id$v=19$'] })],
  ['a body to HEAD', answer(200, good), asked({}, 'HEAD')],
  ['405 for what is described', answer(405, problem(405, 'method_not_allowed'), { allow: 'GET, HEAD' })],
  [
    '405 that allows another thing',
    answer(405, problem(405, 'method_not_allowed'), { allow: 'GET' }),
    asked({}, 'PUT'),
  ],
  ['success where a token is wrong', answer(200, good), asked({ expects: [401] })],
  ['success where the body is wrong', answer(200, good), asked({ expects: [400] })],
] as const) {
  test(`it sees ${what}`, () => assert.type(judge.verdict(question ?? asked(), received), 'string'));
}
