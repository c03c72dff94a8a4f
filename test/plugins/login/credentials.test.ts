import * as assert from '../../support/assert.ts';
import { newRecoveryCodes, recoveryHash } from '../../../plugins/login/twofa/authenticator.ts';
import { enableTwofa as turnOn, startTwofa } from '../../../plugins/login/store.ts';
import { PASSWORD, TestServer, type Answer, type RequestOptions } from '../../support/hostkeep.ts';
import { whileParked } from '../../support/parked.ts';
import { testSuite } from '../../support/suite.ts';
import { codeOf, enableTwofa, logIn, reauthenticate } from '../../support/account-client.ts';

const test = testSuite('login: changes of credentials');
const roomy = { minute: 10_000, hour: 10_000, day: 10_000 };
const NEW_PASSWORD = 'a password of the thief';
type Body = Record<string, unknown>;
let server: TestServer;
let keeper: string;
test.before(async () => {
  server = await TestServer.start({ config: { login: { account_failures: roomy, address_failures: roomy } } });
  hashQuickly();
  keeper = (await server.admin('keeper')).token;
  await reauthenticate(server, keeper);
});

const asKeeper = (method: string, path: string, body?: Body) => send(keeper, method, path, body, 'admin');
function send(token: string, method: string, path: string, body?: Body, address: RequestOptions['address'] = 'user') {
  return server.ask<Body>(path, { method, token, address, ...(body === undefined ? {} : { body }) });
}

/** Replaces the hasher by one that takes a random, short time, so that requests overlap in a new order each time. */
function hashQuickly(): void {
  const { passwords } = server.hostkeep.core;
  const turns = async () => {
    for (let n = Math.random() * 12; n > 0; n -= 1) await new Promise((resolve) => setImmediate(resolve));
  };
  passwords.hash = async (password) => turns().then(() => `quick ${password}`);
  passwords.verify = async (password, stored) => turns().then(() => stored === `quick ${password}`);
}

/** All that a change of a credential could have changed. */
async function state(): Promise<unknown[]> {
  const { store } = server.hostkeep.core;
  return Promise.all(
    [
      'select username, password_hash from accounts order by id',
      'select id, reauthenticated_at from sessions order by id',
      'select account_id, secret, enabled_at from twofa order by account_id',
      'select hash from recovery_codes order by hash',
    ].map((sql) => store.all(sql)),
  );
}

/** Revokes while the request waits for its transaction, which must then change nothing. */
async function parked(request: () => Promise<Answer<Body>>, revoke: () => Promise<unknown>) {
  let after: unknown[] = [];
  const answer = await whileParked(server.hostkeep.core.store, request, async () => {
    await revoke();
    after = await state();
  });
  assert.equal(await state(), after, 'it changed nothing after the revocation');
  return answer;
}

interface Someone {
  readonly name: string;
  readonly token: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}
interface Change {
  readonly role?: 'admin';
  /** Whether the asker has a second factor before the change. */
  readonly hasTwofa?: true;
  /** Prepares the change and returns the request. */
  readonly request: (asker: Someone) => Promise<() => Promise<Answer<Body>>>;
}

const own = (method: string, path: string, body: (asker: Someone) => Body): Change['request'] => {
  return async (asker) => () => send(asker.token, method, `/api/account/${path}`, body(asker));
};
const CHANGES: Readonly<Record<string, Change>> = {
  'the own password': { request: own('PUT', 'password', () => ({ password: PASSWORD, new_password: NEW_PASSWORD })) },
  'a set-up of a second factor': { request: own('POST', '2fa/setup', () => ({ password: PASSWORD })) },
  'its confirmation': {
    request: async ({ token }) => {
      const { body } = await send(token, 'POST', '/api/account/2fa/setup', { password: PASSWORD });
      return () => send(token, 'POST', '/api/account/2fa/confirm', { code: codeOf(String(body['secret'])) });
    },
  },
  'a second factor turned off': {
    hasTwofa: true,
    request: own('DELETE', '2fa', ({ secret }) => ({ password: PASSWORD, code: codeOf(secret, 1) })),
  },
  'a second factor turned off with a recovery code': {
    hasTwofa: true,
    request: own('DELETE', '2fa', ({ recoveryCodes: [code = ''] }) => ({ password: PASSWORD, code })),
  },
  'a login': {
    request:
      async ({ name }) =>
      () =>
        logIn(server, name),
  },
  'a login with a recovery code': {
    hasTwofa: true,
    request:
      async ({ name, recoveryCodes: [code = ''] }) =>
      () =>
        logIn(server, name, { code }),
  },
  "another's password": {
    role: 'admin',
    request: async ({ token, name }) => {
      await server.account(`${name}-customer`);
      return () => send(token, 'PUT', `/api/accounts/${name}-customer/password`, { password: NEW_PASSWORD }, 'admin');
    },
  },
  'the password of another administrator': {
    role: 'admin',
    request: async ({ token, name }) => {
      await server.admin(`${name}-colleague`);
      await reauthenticate(server, token);
      return () => send(token, 'PUT', `/api/accounts/${name}-colleague/password`, { password: NEW_PASSWORD }, 'admin');
    },
  },
  'a new administrator': {
    role: 'admin',
    request: async ({ token, name }) => {
      await reauthenticate(server, token);
      const body = { username: `${name}-new`, password: NEW_PASSWORD, role: 'admin' };
      return () => send(token, 'POST', '/api/accounts', body, 'admin');
    },
  },
  'the password and code proved again': {
    role: 'admin',
    hasTwofa: true,
    request:
      async ({ token, secret }) =>
      () =>
        reauthenticate(server, token, codeOf(secret, 1)),
  },
  "another's second factor": {
    role: 'admin',
    request: async ({ token, name }) => {
      await enableTwofa(server, (await server.user(`${name}-customer`)).token);
      await reauthenticate(server, token);
      return () => send(token, 'DELETE', `/api/accounts/${name}-customer/2fa`, undefined, 'admin');
    },
  },
};

const REVOCATIONS: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  'an administrator sets the password': (name) =>
    asKeeper('PUT', `/api/accounts/${name}/password`, { password: 'from the keeper' }),
  'the command line sets the password': async (name) => {
    const { accounts, credentials, passwords } = server.hostkeep.core;
    await credentials.setPassword(await accounts.get(name), await passwords.hash('from the terminal'));
  },
  'the account is suspended': (name) => asKeeper('POST', `/api/accounts/${name}/suspend`),
  'the account is removed': (name) => asKeeper('DELETE', `/api/accounts/${name}`),
  'its sessions are ended': (name) => asKeeper('DELETE', `/api/accounts/${name}/sessions`),
  'its second factor is reset': (name) => asKeeper('DELETE', `/api/accounts/${name}/2fa`),
};

let count = 0;
async function someone({ role, hasTwofa }: Change): Promise<Someone> {
  const name = `someone-${(count += 1)}`;
  const { token } = role === 'admin' ? await server.admin(name) : await server.user(name);
  const address = role ?? 'user';
  return { name, token, ...(hasTwofa ? await enableTwofa(server, token, address) : { secret: '', recoveryCodes: [] }) };
}

for (const [what, change] of Object.entries(CHANGES)) {
  // threat lost-revocation: a change that was verified before a revocation changes nothing after it
  test(`a revocation stops a change that is under way: ${what}`, async () => {
    for (const [how, revoke] of Object.entries(REVOCATIONS)) {
      const isLogin = what.startsWith('a login');
      if (isLogin && (how.includes('sessions') || (how.includes('factor') && !change.hasTwofa))) continue;
      if (!change.hasTwofa && how.includes('factor') && what !== 'its confirmation') continue;
      const asker = await someone(change);
      const request = await change.request(asker);
      const { status, body } = await parked(request, () => revoke(asker.name));
      const expected = isLogin
        ? [401, 'invalid_credentials']
        : what === 'its confirmation' && how.includes('factor')
          ? [409, 'twofa_not_started']
          : [401, 'authentication_required'];
      assert.equal([status, body['error']], expected, how);
    }
  });
}

// threat lost-revocation: the password that was verified must still be the password
test('a password that the same session changed in the meantime is a wrong one', async () => {
  for (const [what, change] of Object.entries(CHANGES)) {
    if (change.role === 'admin' || what.startsWith('a login')) continue;
    const asker = await someone(change);
    const request = await change.request(asker);
    const { status, body } = await parked(request, async () => {
      const answer = await send(asker.token, 'PUT', '/api/account/password', {
        password: PASSWORD,
        new_password: 'the newest password',
      });
      assert.is(answer.status, 200);
    });
    const expected = what === 'its confirmation' ? [409, 'twofa_not_started'] : [401, 'invalid_credentials'];
    assert.equal([status, body['error']], expected, what);
  }
});

/** Parallel requests of a thief who knows the old password, by what they are after. */
const THEFTS: Readonly<Record<string, (token: string, name: string, codes: readonly string[]) => Promise<unknown>[]>> =
  {
    'the password': (token) =>
      [1, 2, 3, 4, 5].map((n) =>
        send(token, 'PUT', '/api/account/password', { password: PASSWORD, new_password: `${NEW_PASSWORD} ${n}` }),
      ),
    'a second factor of the own': (token) =>
      [1, 2, 3, 4, 5].map(async () => {
        const { body } = await send(token, 'POST', '/api/account/2fa/setup', { password: PASSWORD });
        const secret = body['secret'];
        if (typeof secret === 'string') await send(token, 'POST', '/api/account/2fa/confirm', { code: codeOf(secret) });
      }),
    'no second factor': (token, _, codes) =>
      codes.map((code) => send(token, 'DELETE', '/api/account/2fa', { password: PASSWORD, code })),
    'a session': (_, name) => [1, 2, 3, 4, 5].map(() => logIn(server, name)),
  };
const STOLEN = ['password.changed', 'twofa.on', 'twofa.off', 'login'];

for (const [what, steal] of Object.entries(THEFTS)) {
  // threat lost-revocation: in 100 rounds, no change with the old password wins over an administrator's reset
  test(`in a hundred rounds the old password never wins over a reset: ${what}`, async () => {
    const { accounts, credentials, events, keys, sessions, store } = server.hostkeep.core;
    const name = `victim-${(count += 1)}`;
    const account = await server.account(name);
    let before = 0;
    for (let round = 0; round < 100; round += 1) {
      await credentials.setPassword(account, `quick ${PASSWORD}`);
      const codes = newRecoveryCodes().slice(0, 5);
      await store.write(async (tx) => {
        await tx.run('delete from twofa where account_id = ?', account.id);
        if (what !== 'no second factor') return;
        const sealed = keys.seal('secret', `twofa ${account.id}`);
        await startTwofa(tx, account.id, sealed, Date.now());
        await turnOn(
          tx,
          account.id,
          sealed,
          1,
          1,
          codes.map((each) => recoveryHash(each) ?? ''),
        );
      });
      const token = await server.token(account);
      const start = await events.lastId();
      const thefts = steal(token, name, codes);
      for (let n = Math.random() * 20; n > 0; n -= 1) await new Promise((resolve) => setImmediate(resolve));
      const reset = await asKeeper('PUT', `/api/accounts/${name}/password`, { password: `the reset ${round}` });
      assert.is(reset.status, 200);
      await Promise.all(thefts);
      assert.is((await credentials.passwordOf(name))?.hash, `quick the reset ${round}`);
      assert.equal(await sessions.list(account.id), []);
      assert.is(
        await store.get('select 1 from twofa where account_id = ? and enabled_at is null', account.id),
        undefined,
      );
      const successes = (await events.after(start, 1000)).filter(({ type }) => STOLEN.includes(type));
      const last = successes.at(-1);
      assert.is(last?.type, 'password.changed', `${last?.line} came after the reset`);
      if (successes.length > 1) before += 1;
    }
    assert.ok(what === 'a second factor of the own' || before > 0, 'none was early enough: the rounds show nothing');
    await accounts.remove(name);
  });
}
