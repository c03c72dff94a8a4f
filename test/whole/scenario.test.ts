/** Rows of requests fail when anything of what they say is not so, and tell what was sent and answered. */
import * as assert from '../support/assert.ts';
import { asker, type Answered, type Row } from '../support/scenario.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('rows of requests');
const sent: object[] = [];
const answering = (answer: Answered, events: readonly string[] = []) =>
  asker({
    who: 'ann',
    send: async (request) => (sent.push(request), answer),
    lastEvent: async () => 7,
    eventsAfter: async (id) => (id === 7 ? events : []),
  });
const REFUSED = { status: 400, body: { error: 'invalid_request', errors: [{ path: '/text' }] } };
const MADE = { status: 201, body: { id: 5, text: 'call Bob', list: [1] } };

for (const [what, row, answer, events] of [
  ['another status', ['GET /', 200], MADE],
  ['another error', ['GET /', '400 invalid_path'], REFUSED],
  ['a refusal where there is none', ['GET /', '201 invalid_request'], MADE],
  ['another place', ['GET /', '400 invalid_request /id'], REFUSED],
  ['another member', ['GET /', 201, { id: 6 }], MADE],
  ['a member that is missing', ['GET /', 201, { name: 'x' }], MADE],
  ['another list', ['GET /', 201, { list: [1, 2] }], MADE],
  ['another text', ['GET /', 201, { text: /^Bob/ }], MADE],
  ['what must not appear', ['GET /', 201, {}, { lacks: 'Bob' }], MADE],
  ['an event too few', ['GET /', 201, {}, { events: ['note.added'] }], MADE],
  ['an event too many', ['GET /', 201, {}, { events: [] }], MADE, ['note.added']],
] as readonly (readonly [string, Row, Answered, (readonly string[])?])[])
  test(`a row fails for ${what}`, async () => {
    const error = await answering(answer, events)
      .asks(...row)
      .then(
        () => assert.unreachable(what),
        (thrown: Error) => thrown,
      );
    assert.match(error?.message ?? '', `ann asks GET / and is answered ${answer.status} {"`);
  });

test('a row that is so resolves with the body, and all of it is sent', async () => {
  sent.length = 0;
  const more = { headers: { 'if-match': '"1"' }, lacks: 'Carl', events: ['note.added'] };
  const { asks, rows, tries } = answering(MADE, ['note.added']);
  assert.equal(await asks('POST /a?b=c d', { text: 1 }, 201, { text: /Bob$/, list: [1] }, more), MADE.body);
  assert.equal(sent, [{ method: 'POST', path: '/a?b=c d', headers: more.headers, body: { text: 1 } }]);
  await rows(['GET /', 201], ['DELETE /', 201, { id: 5 }]);
  assert.equal(
    [sent.length, await tries('GET /'), await answering(REFUSED).tries('GET /')],
    [3, 201, '400 invalid_request'],
  );
});
