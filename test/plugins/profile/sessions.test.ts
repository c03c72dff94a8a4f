import * as assert from '../../support/assert.ts';
import { TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('profile: sessions');
let server: TestServer;
test.before(async () => void (server = await TestServer.start()));

test('the own sessions are listed in pages', async () => {
  const { account, token } = await server.user('paula');
  for (let i = 0; i < 4; i += 1) await server.token(account);
  type Page = { sessions: { id: string; current: boolean }[]; next_cursor: string | null };
  const page = async (query: string) => (await server.ask<Page>(`/api/account/sessions${query}`, { token })).body;
  const [all, first] = [await page(''), await page('?limit=3')];
  const rest = await page(`?limit=3&cursor=${first.next_cursor}`);
  assert.equal([all.next_cursor, rest.next_cursor], [null, null]);
  assert.equal([...first.sessions, ...rest.sessions], all.sessions);
  assert.equal([all.sessions.length, all.sessions.filter(({ current }) => current).length], [5, 1]);
  for (const bad of ['?cursor=x', '?limit=101', '?limit=0', '?page=2'])
    assert.is((await server.ask(`/api/account/sessions${bad}`, { token })).body['error'], 'invalid_request', bad);
});

// asvs 7.2.4: each login opens a new session
// asvs 7.5.2: an account lists and ends its own sessions
test('an account sees and ends its own sessions only', async () => {
  const dora = await server.user('dora');
  const eve = await server.user('eve');
  const used = await server.token(dora.account);
  assert.is((await server.ask('/api/favorites', { token: used })).status, 200);
  const { body } = await server.ask<{ sessions: { id: string; current: boolean; created_at: string; ip: string }[] }>(
    '/api/account/sessions',
    { token: dora.token },
  );
  assert.is(body.sessions.length, 2);
  assert.match(body.sessions[0]?.created_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const other = body.sessions.find(({ current }) => !current)?.id ?? '';
  for (const [token, id] of [
    [eve.token, other],
    [dora.token, 'x'],
    [dora.token, `${other}x`],
  ] as const) {
    const answer = await server.ask(`/api/account/sessions/${id}`, { method: 'DELETE', token });
    assert.is(answer.status, 404);
    assert.is(answer.body['error'], 'session_not_found');
  }
  assert.equal((await server.ask(`/api/account/sessions/${other}`, { method: 'DELETE', token: dora.token })).body, {
    id: other,
    ended: true,
  });
  assert.is((await server.ask('/api/favorites', { token: used })).status, 401);
});
