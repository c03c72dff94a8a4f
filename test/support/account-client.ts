import { TOTP } from 'otpauth';
import { PASSWORD, type Answer, type TestServer } from './hostkeep.ts';

export interface Attempt {
  readonly password?: string;
  readonly code?: string | null;
  /** Client address, for a server that trusts 127.0.0.1 as a proxy. */
  readonly from?: string;
  readonly address?: 'user' | 'admin';
  readonly userAgent?: string;
}

/** Logs in over the socket. */
export function logIn(
  server: TestServer,
  username: string,
  { password = PASSWORD, code, from, address = 'user', userAgent = 'test' }: Attempt = {},
): Promise<Answer<Record<string, unknown>>> {
  return server.ask('/api/login', {
    method: 'POST',
    address,
    body: { username, password, ...(code === undefined ? {} : { twofa_code: code }) },
    headers: { 'user-agent': userAgent, ...(from === undefined ? {} : { 'x-forwarded-for': from }) },
  });
}

/** What the app shows, so many 30-second steps from now. */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
}

/** Turns two-factor authentication on, with `code`; the present one may be the next before it is asked for. */
export async function enableTwofa(
  server: TestServer,
  token: string,
  address: 'user' | 'admin' = 'user',
): Promise<{ secret: string; code: string; recoveryCodes: string[] }> {
  const setup = await server.ask<{ secret: string }>('/api/account/2fa/setup', {
    method: 'POST',
    token,
    address,
    body: { password: PASSWORD },
  });
  const { secret } = setup.body;
  const code = codeOf(secret);
  const confirmed = await server.ask<{ recovery_codes: string[] }>('/api/account/2fa/confirm', {
    method: 'POST',
    token,
    address,
    body: { code },
  });
  return { secret, code, recoveryCodes: confirmed.body.recovery_codes };
}

/** Proves the password of an administrator's session again, and the code, if given. */
export function reauthenticate(server: TestServer, token: string, code?: string | null, password = PASSWORD) {
  return server.ask<Record<string, unknown>>('/api/reauthenticate', {
    method: 'POST',
    token,
    address: 'admin',
    body: { password, ...(code === undefined ? {} : { twofa_code: code }) },
  });
}

/** How many answers had each status. */
export function tally(answers: readonly Answer<unknown>[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
