import { readdirSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import * as assert from '../../../support/assert.ts';
import { PASSWORD, TestServer } from '../../../support/hostkeep.ts';
import { testSuite } from '../../../support/suite.ts';
import { logIn, tally } from '../../../support/account-client.ts';

const test = testSuite('login: a flood of wrong logins');
const roomy = { minute: 10_000, hour: 10_000, day: 10_000 };
/** More than may wait of one network. */
const CONNECTIONS = 200;
/** Of a connection between two logins: more come than passwords are hashed, and the rest of the processors is the server's. */
const PAUSE_MS = 1000 / availableParallelism();
/** Logins of each known user during the flood. */
const ROUNDS = 2;
const USERS = ['ann', 'bea', 'cleo', 'dora'];
const homeOf = (username: string) => `198.51.100.${USERS.indexOf(username) + 1}`;

/** Sends wrong logins from random parts of one /48, on many connections, until it is stopped. */
function flood(server: TestServer, usernames: readonly string[]) {
  const stopped = new AbortController();
  const statuses: number[] = [];
  const connections = Array.from({ length: CONNECTIONS }, async (_, i) => {
    for (let n = i; !stopped.signal.aborted; n += 1) {
      const part = Math.floor(Math.random() * 65_536).toString(16);
      const username = usernames[n % usernames.length] ?? '';
      const { status } = await logIn(server, username, { password: 'wrong', from: `2001:db8:bad:${part}::1` });
      statuses.push(status);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  return {
    statuses,
    stop: async () => {
      stopped.abort();
      await Promise.all(connections);
    },
  };
}

/** Threads that hash passwords have the lowest priority, with which they would hardly run beside other tests. */
function hashAsSoonAsOthersRun(): void {
  if (process.getuid?.() === 0) for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), 0);
}

for (const [what, login, refusal] of [
  ['that the throttle refuses', {}, 429],
  [
    'that the throttle lets through, so that the queue is full',
    { account_failures: roomy, address_failures: roomy },
    503,
  ],
] as const) {
  // threat crowding-out: a flood of wrong logins from one /48 leaves right logins from known networks answered
  test(`known users and administrators get in during a flood ${what}`, async () => {
    const server = await TestServer.start({ config: { trusted_proxies: ['127.0.0.1'], login } });
    for (const name of USERS) {
      await server.account(name);
      assert.is((await logIn(server, name, { from: homeOf(name) })).status, 200);
    }
    await server.account('chief', '', 'admin');
    await server.account('stranger');
    hashAsSoonAsOthersRun();
    const attack = flood(server, [...USERS, 'chief', 'invented']);
    while (attack.statuses.length < CONNECTIONS) await new Promise((resolve) => setTimeout(resolve, 20));
    const answers = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      answers.push(...(await Promise.all(USERS.map((name) => logIn(server, name, { from: homeOf(name) })))));
      answers.push(await logIn(server, 'chief', { from: '127.0.0.1', address: 'admin' }));
    }
    const stranger = await logIn(server, 'stranger', { from: '203.0.113.77' });
    const { token } = (await logIn(server, 'ann', { from: homeOf('ann') })).body;
    const change = { password: PASSWORD, new_password: `${PASSWORD}!` };
    const changed = await server.ask('/api/account/password', {
      method: 'PUT',
      token: String(token),
      body: change,
      headers: { 'x-forwarded-for': homeOf('ann') },
    });
    await attack.stop();
    assert.equal(tally(answers), { 200: (USERS.length + 1) * ROUNDS });
    assert.is(stranger.status, 200, 'from a new network too: networks take turns');
    assert.is(changed.status, 200);
    assert.ok(attack.statuses.every((status) => [401, 429, 503].includes(status)));
    assert.ok(attack.statuses.includes(refusal), `none of the flood got ${refusal}`);
  });
}
