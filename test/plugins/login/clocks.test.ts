/** Times that another node of a fleet wrote, whose clock is ahead. */
import * as assert from '../../support/assert.ts';
import login from '../../../plugins/login/index.ts';
import { codeOf } from '../../support/code-of.ts';
import { memberFolder } from '../../support/node-pair.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PASSWORD, TestServer } from '../../support/hostkeep.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('login: clocks of a fleet');
const AHEAD_MS = 30_000;
/** Too far ahead for a clock of the fleet. */
const WRONG_MS = 600_000;

for (const [name, data, isFleet] of [
  ['a node of a fleet', () => memberFolder('one'), true],
  ['a node by itself', temporaryFolder, false],
] as const) {
  test(`${name} ${isFleet ? 'believes' : 'does not believe'} a proof of the next minute`, async () => {
    const config = { login: { account_failures: { minute: 2, hour: 100, day: 100 } } };
    const server = await TestServer.start({ data: data(), plugins: [login], config });
    const { reauthentication, sessions, store } = server.hostkeep.core;
    const logIn = async (password: string) =>
      (await server.ask('/api/login', { method: 'POST', body: { username: 'ann', password } })).status;
    const shift = (ms: number) => store.write((tx) => tx.run('update login_failures set at = ?', Date.now() + ms));
    const user = await server.user('ann');
    const session = (await sessions.resolve(`Bearer ${user.token}`))?.session;
    assert.ok(session);
    const prove = async (ms: number) => {
      await store.write((tx) => tx.run('update sessions set reauthenticated_at = ?', Date.now() + ms));
      return codeOf(reauthentication.assertRecent(store, session));
    };
    assert.is(await prove(WRONG_MS), 'reauthentication_required');
    assert.is(await prove(AHEAD_MS), isFleet ? 'done' : 'reauthentication_required');
    assert.equal([await logIn(PASSWORD), await logIn('wrong'), await logIn('wrong')], [200, 401, 401]);
    await shift(WRONG_MS);
    assert.is(await logIn(PASSWORD), 200);
    await shift(AHEAD_MS);
    assert.is(await logIn(PASSWORD), isFleet ? 429 : 200);
    const { token } = await server.admin();
    const unlocked = await server.ask('/api/accounts/ann/unlock', { method: 'POST', token, address: 'admin' });
    assert.equal([unlocked.status, await logIn(PASSWORD)], [200, 200]);
  });
}
