import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TOTP } from 'otpauth';
import type { Account } from '../../../kernel/identity/accounts.ts';
import { PASSWORD } from '../../support/hostkeep.ts';
import type { RawResponse } from '../target/response-reader.ts';
import type { TargetServer } from '../target/target-server.ts';

/** A WordPress in a folder, with a mark in all that its configuration says. */
export const siteFiles = (folder: string, mark: string): Readonly<Record<string, string>> => ({
  [`${folder}/index.php`]: '<?php\n',
  [`${folder}/wp-includes/version.php`]: `<?php\n$wp_version = '6.8.3-${mark}';\n`,
  [`${folder}/wp-config.php`]: `<?php\ndefine('DB_NAME', '${mark}_name');\ndefine('DB_USER', '${mark}_user');\ndefine('DB_PASSWORD', '${mark}-password');\ndefine('DB_HOST', '${mark}-host');\n$table_prefix = '${mark}_';\n`,
});

/** An account that has something of every kind, with its mark in every text of it. */
export interface TenantFixture {
  readonly mark: string;
  readonly account: Account;
  token: string;
  /** What a stranger may not hear of: ids of sessions, codes and the secret of the second factor. */
  readonly secrets: readonly string[];
}

/** One request of somebody with a token, as JSON. */
export function ask(
  target: TargetServer,
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

/** Makes an account called like its mark, on a plan of its own, and fills it over HTTP and on disk. `passwordHash` is that of `PASSWORD`. */
export async function createTenant(target: TargetServer, mark: string, passwordHash: string): Promise<TenantFixture> {
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
  const must = async (method: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
    const { status, body: reply } = await ask(target, 'user', token, method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} is answered with ${status}: ${reply.toString()}`);
    return JSON.parse(reply.toString()) as Record<string, unknown>;
  };
  const { secret } = await must('POST', '/api/account/2fa/setup', { password: PASSWORD });
  const { recovery_codes: codes } = await must('POST', '/api/account/2fa/confirm', {
    code: new TOTP({ secret: String(secret) }).generate(),
  });
  await must('POST', '/api/domains/new', { domain_url: `${mark}.example` });
  await must('POST', '/api/domains/new', { domain_url: `sub.${mark}.example`, docroot: `${mark}-folder` });
  await must('PUT', '/api/favorites', { link: `/${mark}`, title: mark });
  await openSession(target, account);
  const ids = (await sessions.list(account.id)).map(({ id }) => id);
  return { mark, account, token, secrets: [String(secret), ...(codes as string[]), ...ids] };
}

export function planOf(mark: string): string {
  return `${mark}-plan`;
}

/** A new token of an account, under a browser that bears its mark. */
export async function openSession({ core }: TargetServer, account: Account): Promise<string> {
  return (await core.sessions.open(account, '127.0.0.1', `${account.username}-browser`, async () => {})).token;
}

/** Writes files below an account's root that nobody else changes meanwhile. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true, mode: 0o755 });
    await writeFile(join(root, path), text);
  }
}
