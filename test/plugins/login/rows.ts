import { TOTP } from 'otpauth';
import { PASSWORD } from '../../support/hostkeep.ts';
import type { PluginRows, Walked } from '../../support/plugin-rows.ts';

const PRODUCT = 'as many as the product has';
/** Names the lock of the address from which all requests of the walk come. */
const LOCK = Buffer.from('address 127.0.0.1').toString('base64url');
const kept = { secret: '', token: '' };
const code = (inMs = 0) => new TOTP({ secret: kept.secret }).generate({ timestamp: Date.now() + inMs });
const keepToken = ({ id = '' }: Record<string, string>) => void (kept.token = id);
const keepSecret = ({ secret = '' }: Record<string, string>) => void (kept.secret = secret);

/** Of what a program for bills needs, the scopes that routes of the server ask for; without one, any. */
function offered({ server }: Walked): string[] {
  const routes = server.hostkeep.node.routes().filter(({ address }) => address === 'admin');
  const there = [...new Set(routes.flatMap(({ scopes }) => scopes?.any ?? []))];
  const wanted = ['accounts:read', 'accounts:write'].filter((scope) => there.includes(scope));
  return wanted.length > 0 ? wanted : there.slice(0, 1);
}

const rows: PluginRows = {
  walk: {
    login: () => ({ body: { username: 'demo', password: PASSWORD } }),
    'login on admin': () => ({ body: { username: 'operator', password: PASSWORD } }),
    tokensOf: async ({ server, people: { other } }) => {
      const wanted = { name: 'Backup', scopes: ['domains:read'], networks: [], expiresAt: Date.now() + 86_400_000 };
      kept.token = (await server.hostkeep.core.tokens.make(other, wanted, '127.0.0.1')).made.id;
      return { path: '/api/accounts/other/tokens' };
    },
    endTokenOf: () => ({ path: `/api/accounts/other/tokens/${kept.token}` }),
    endTokensOf: () => ({ path: '/api/accounts/other/tokens' }),
    makeToken: () => ({ body: { name: 'Backup', scopes: ['domains:read'], password: PASSWORD }, keep: keepToken }),
    endToken: () => ({ path: `/api/account/tokens/${kept.token}` }),
    endTokens: () => ({}),
    'makeToken on admin': (walked) => ({
      body: { name: 'Billing', scopes: offered(walked), expires_in_days: 365, password: PASSWORD },
      keep: keepToken,
    }),
    'endToken on admin': () => ({ path: `/api/account/tokens/${kept.token}` }),
    'endTokens on admin': () => ({}),
    setupTwofa: () => ({ body: { password: PASSWORD }, keep: keepSecret }),
    confirmTwofa: () => ({ body: { code: code() } }),
    disableTwofa: () => ({ body: { password: PASSWORD, code: code(30_000) } }),
    password: () => ({ body: { password: PASSWORD, new_password: `${PASSWORD}!` } }),
    reauthenticate: () => ({ body: { password: PASSWORD } }),
    resetTwofa: () => ({ path: '/api/accounts/other/2fa' }),
    unlock: () => ({ path: '/api/accounts/other/unlock' }),
    liftLock: () => ({ path: `/api/locks/${LOCK}` }),
  },
  // a change of a credential ends the reauthentication that other plugins need
  walkAtLast: {
    'setupTwofa on admin': () => ({ body: { password: PASSWORD }, keep: keepSecret }),
    'confirmTwofa on admin': () => ({ body: { code: code() } }),
    'disableTwofa on admin': () => ({ body: { password: PASSWORD, code: code(30_000) } }),
    'password on admin': () => ({ body: { password: PASSWORD, new_password: `${PASSWORD}!` } }),
    logout: () => ({}),
    'logout on admin': () => ({}),
  },
  opened: {
    ...{ login: 'guest', logout: 'logout', password: 'account' },
    ...{ twofa: 'twofa', setupTwofa: 'twofa', confirmTwofa: 'twofa', disableTwofa: 'twofa' },
    ...{ tokens: 'account', makeToken: 'account', endToken: 'account', endTokens: 'account' },
  },
  answered: 'anywhere',
  // a token has no scope of a plugin that is off
  without: {
    domains: { makeToken: 400, endToken: 404 },
  },
  bounded: {
    tokens: PRODUCT,
    makeToken: PRODUCT,
    tokensOf: PRODUCT,
    confirmTwofa: 'a number that the plugin makes',
  },
  isolation: {
    unmarked: { twofa: 'yes or no' },
  },
  pages: {
    '/home/account/tokens': ['Create API token'],
    '/console/account': ['Turn on two-factor authentication'],
    '/console/account/tokens': ['Create API token'],
    '/console/sessions': [],
  },
  examples: {
    invented: {
      locks: {
        locks: [
          {
            key: 'YWRkcmVzcyAxOTguNTEuMTAwLjc',
            kind: 'network',
            username: null,
            network: '198.51.100.7',
            failures: 30,
            until: '2026-11-20T09:31:00.000Z',
          },
        ],
        truncated: false,
      },
    },
  },
  accountTables: {
    known_networks: 'a log of what happened here',
    login_history: 'a log of what happened here',
    login_unlocks: 'a decision about failures here',
    recovery_codes: 'of the second factor',
    twofa: 'sealed by this installation; who had a second factor sets it up again',
  },
};
export default rows;
