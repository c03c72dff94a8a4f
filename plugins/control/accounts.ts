import type { Account } from '../../kernel/accounts.ts';
import { HttpError } from '../../kernel/errors.ts';
import { timeText } from '../../kernel/events.ts';
import type { Host } from '../../kernel/plugin.ts';
import type { Static } from '../../kernel/schema.ts';
import type * as schema from './schema.ts';

/** Who asks, about whom. */
export interface Order {
  readonly account: Account;
  readonly ip: string;
  readonly params: { readonly username: string };
}

export async function listAccounts(
  { directory }: Host,
  { limit, cursor }: { limit: number; cursor: string },
): Promise<Static<typeof schema.AccountPage>> {
  const found = await directory.accounts.list(limit + 1, cursor);
  const accounts = found.slice(0, limit).map(accountReply);
  return { accounts, next_cursor: found.length > limit ? (accounts.at(-1)?.username ?? null) : null };
}

export async function createAccount(
  { directory }: Host,
  { password, ...rest }: Static<typeof schema.AccountBody>,
  ip: string,
): Promise<schema.Account> {
  return accountReply(
    await directory.accounts.create({ ...rest, passwordHash: await directory.passwords.hash(password) }, ip),
  );
}

export async function updateAccount(
  { directory, node }: Host,
  { params: { username }, ip }: Order,
  change: Static<typeof schema.AccountChange>,
): Promise<schema.Account> {
  const before = await directory.accounts.get(username);
  if (change.plan !== undefined && before.role === 'admin')
    throw new HttpError('invalid_request', 'an admin has no plan');
  if (change.locale !== undefined && !node.locales.names.includes(change.locale))
    throw new HttpError(
      'invalid_request',
      `there is no language ${change.locale}; installed: ${node.locales.names.join(', ')}`,
    );
  return accountReply(await directory.accounts.update(username, change, ip));
}

export async function removeAccount({ directory }: Host, order: Order): Promise<Static<typeof schema.AccountRemoved>> {
  const { username } = notOneself(order);
  await directory.accounts.remove(username, order.ip);
  return { username, deleted: true };
}

export async function suspendAccount({ directory }: Host, order: Order): Promise<schema.Account> {
  const { username } = notOneself(order);
  await directory.accounts.suspend(username, order.ip);
  return accountReply(await directory.accounts.get(username));
}

export async function unsuspendAccount(
  { directory }: Host,
  { params: { username }, ip }: Order,
): Promise<schema.Account> {
  await directory.accounts.unsuspend(username, ip);
  return accountReply(await directory.accounts.get(username));
}

/** All sessions of the account end, but for the one that asks. */
export async function setPassword(
  { directory }: Host,
  { params: { username }, ip }: Order,
  password: string,
  sessionId: string,
): Promise<Static<typeof schema.PasswordChanged>> {
  await directory.accounts.get(username);
  await directory.accounts.setPassword(username, await directory.passwords.hash(password), ip, sessionId);
  return { username, changed: true };
}

export async function setFeature(
  { directory }: Host,
  { params, ip }: Order & { readonly params: { readonly feature: string } },
  on: boolean | undefined,
): Promise<schema.Account> {
  await directory.accounts.setFeature(params.username, params.feature, on, ip);
  return accountReply(await directory.accounts.get(params.username));
}

export async function listSessions({ directory }: Host, username: string): Promise<Static<typeof schema.SessionList>> {
  const rows = await directory.sessions.list((await directory.accounts.get(username)).id);
  return {
    sessions: rows.map((row) => ({
      ...row,
      created_at: timeText(row.created_at),
      expires_at: timeText(row.expires_at),
    })),
  };
}

export async function endSessions(
  { directory }: Host,
  { params: { username }, ip }: Order,
): Promise<Static<typeof schema.SessionsEnded>> {
  return { ended: await directory.sessions.endOthers(await directory.accounts.get(username), '', ip) };
}

export async function endSession(
  { directory }: Host,
  { params, ip }: Order & { readonly params: { readonly id: string } },
): Promise<Static<typeof schema.SessionsEnded>> {
  await directory.sessions.end(await directory.accounts.get(params.username), params.id, ip);
  return { ended: 1 };
}

export function accountReply({
  id,
  username,
  role,
  email,
  locale,
  plan,
  features,
  overrides,
  suspended,
  createdAt,
}: Account): schema.Account {
  return {
    user_id: id,
    username,
    role,
    email,
    locale,
    plan: plan?.name ?? null,
    features: [...features].toSorted(),
    overrides,
    suspended,
    created_at: timeText(createdAt),
  };
}

function notOneself({ account, params }: Order): Order['params'] {
  if (account.username === params.username)
    throw new HttpError('own_account', 'ask another administrator to suspend or remove your account');
  return params;
}
