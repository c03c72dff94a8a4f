/** The parts of the translation that no server is needed for: bounds, order, and the forms of values. */
import * as assert from '../../support/assert.ts';
import type { RouteAnswer, RouteCalls, RouteInput } from '../../../kernel/contract/route-calls.ts';
import type { Call } from '../../../kernel/contract/route-spec.ts';
import type { Row } from '../../../plugins/openpanel/row.ts';
import { mib, number, plan, planNamed } from '../../../plugins/openpanel/shapes.ts';
import { answer } from '../../../plugins/openpanel/translation.ts';
import { codeOf } from '../../support/code-of.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('openpanel: translation');

/** Records what is called, and answers with `value`. */
function fake(value: (input: RouteInput, n: number) => unknown) {
  const asked: [operation: string, input: RouteInput][] = [];
  const call = async (_: Call, operation: string, input: RouteInput = {}): Promise<RouteAnswer> => {
    asked.push([operation, input]);
    return { status: 200, value: value(input, asked.length), reply: undefined };
  };
  return { asked, routes: { call, usable: () => [] } as RouteCalls };
}
const callOf = (parts: object, signal = new AbortController().signal) => ({ ...parts, signal }) as unknown as Call;
const LIST: Row = { is: 'GET /x', steps: [{ calls: 'GET /list', pages: 'rows' }] };

// threat oversized-replies: a list that has no end is refused
test('pages are put together, up to a bound', async () => {
  const three = fake((_, n) => ({ rows: [n], next_cursor: n < 3 ? `after ${n}` : null }));
  assert.equal(await answer(three.routes, LIST, callOf({})), [1, 2, 3]);
  assert.equal(
    three.asked.map(([, { query }]) => query?.['cursor']),
    [undefined, 'after 1', 'after 2'],
  );
  const endless = fake(() => ({ rows: [1], next_cursor: 'more' }));
  assert.is(await codeOf(answer(endless.routes, LIST, callOf({}))), 'reply_too_large');
  assert.is(endless.asked.length, 40);
});

test('a list is not read on for a client that has gone', async () => {
  const gone = new AbortController();
  const pages = fake((_, n) => {
    if (n === 2) gone.abort();
    return { rows: [n], next_cursor: 'more' };
  });
  await answer(pages.routes, LIST, callOf({}, gone.signal)).then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.name, 'AbortError'),
  );
  assert.is(pages.asked.length, 2);
});

test('what the path names comes before members of query and body', async () => {
  const { asked, routes } = fake(() => ({}));
  const row: Row = { is: 'PUT /x/:name', steps: [{ calls: 'PUT /y', body: ({ name, more }) => ({ name, more }) }] };
  const call = { params: { name: 'path' }, query: { name: 'query' }, body: { name: 'body', ':caller': 'root' } };
  await answer(routes, row, callOf(call));
  assert.equal(asked, [['PUT /y', { body: { name: 'path' }, headers: {} }]]);
  const caller: Row = { is: 'GET /x', steps: [{ calls: 'GET /y', params: (given) => ({ by: given[':caller'] }) }] };
  await answer(routes, caller, callOf({ ...call, account: { username: 'ann' } }));
  assert.equal(asked[1], ['GET /y', { params: { by: 'ann' }, headers: {} }]);
});

test('sizes are gigabytes unless stated; invalid ones are refused later', () => {
  const sizes = ['10 GB', '10GB', '2g', '1.5', 3, '512 MB', '512m', 'much', '-1', '1e9', '', undefined];
  const expected = [10_240, 10_240, 2048, 1536, 3072, 512, 512, 'much', '-1', '1e9', '', undefined];
  assert.equal(sizes.map(mib), expected);
  assert.equal(['5', '0.5', 7, 'x', '0x5', '', null].map(number), [5, 0.5, 7, 'x', '0x5', '', null]);
});

test('a plan is found by its number and by its name, and by nothing else', () => {
  const view = (name: string) => ({ name, description: '', limits: { cpu_limit: 1, ram_limit_mib: 512 } });
  const plans = [view('basic'), view('standard')];
  const { id, ram, disk_limit } = plan(view('basic'));
  assert.equal([id, ram, disk_limit], [1_211_939_497, '0.5g', '0 GB']);
  assert.is(planNamed(plans, String(id)), 'basic');
  assert.is(planNamed(plans, 'standard'), 'standard');
  for (const none of ['', '0', 'Basic', `${id}0`, undefined])
    assert.throws(() => planNamed(plans, none), /there is no such plan/);
  assert.throws(() => planNamed([...plans, view('basic')], String(id)), /name the plan, not its number/);
});
