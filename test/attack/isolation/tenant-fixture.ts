import { TOTP } from 'otpauth';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { PASSWORD } from '../../support/hostkeep.ts';
import type { RawResponse } from '../target/response-reader.ts';
import { siteFiles, writeFiles } from '../target/site-files.ts';
import type { Target } from '../target/target-server.ts';

/** An account with data of every kind; each text contains its mark. */
export interface TenantFixture {
  readonly mark: string;
  readonly account: Account;
  token: string;
  /** Ids of sessions and API tokens, an API token, recovery codes and the second factor's secret, which no reply to another account may contain. */
  readonly secrets: readonly string[];
}

/** Sends a JSON request. */
export function sendJson(
  target: Target,
  address: 'user' | 'admin',
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<RawResponse> {
  return target.clients[address].send({
    method,
    target: path,
    headers: [
      ['Host', 'localhost'],
      ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
  });
}

/** Creates an account named after its mark, with its own plan, and fills it over HTTP and on disk. */
export async function createTenant(target: Target, mark: string, passwordHash: string): Promise<TenantFixture> {
  const { plans, accounts, sessions, locales } = target.core;
  const { name: _, features: __, ...limits } = await plans.get('developer');
  await plans.create(planOf(mark), { ...limits, description: `for ${mark}` }, [...locales.featureNames]);
  const account = await accounts.create({
    username: mark,
    role: 'user',
    plan: planOf(mark),
    email: `${mark}@example.com`,
    passwordHash,
  });
  const token = await openSession(target, account);
  await writeFiles(account.filesRoot, {
    ...siteFiles(`${mark}.example`, mark),
    [`${mark}-folder/${mark}-below/${mark}-file.txt`]: mark,
    [`databases/${mark}.sqlite`]: mark.repeat(900),
  });
  const send = async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const { status, body: reply } = await sendJson(target, 'user', token, method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${reply.toString()}`);
    return JSON.parse(reply.toString()) as Record<string, unknown>;
  };
  const made = await send('POST', '/api/account/tokens', { name: mark, scopes: ['domains:read'], password: PASSWORD });
  const { secret } = await send('POST', '/api/account/2fa/setup', { password: PASSWORD });
  const { recovery_codes: codes } = await send('POST', '/api/account/2fa/confirm', {
    code: new TOTP({ secret: String(secret) }).generate(),
  });
  await send('POST', '/api/domains/new', { domain_url: `${mark}.example` });
  await send('POST', '/api/domains/new', { domain_url: `sub.${mark}.example`, docroot: `${mark}-folder` });
  await send('PUT', '/api/favorites', { link: `/${mark}`, title: mark });
  await openSession(target, account);
  const ids = (await sessions.list(account.id)).map(({ id }) => id);
  return {
    mark,
    account,
    token,
    secrets: [String(secret), ...(codes as string[]), ...ids, String(made['id']), String(made['token'])],
  };
}

export function planOf(mark: string): string {
  return `${mark}-plan`;
}

/** Opens a session and returns its token; the user agent contains the account's mark. */
export async function openSession({ core }: Target, account: Account): Promise<string> {
  return (await core.sessions.open(account, '127.0.0.1', `${account.username}-browser`, async () => {})).token;
}
