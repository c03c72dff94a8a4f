import { setTimeout as delay } from 'node:timers/promises';
import type { Locales } from '../../kernel/config/locales.ts';
import type { Account, Role } from '../../kernel/identity/accounts/account.ts';
import type { HashLane } from '../../kernel/identity/gate/password-hasher.ts';
import type { Session } from '../../kernel/identity/gate/sessions.ts';
import type { Reader } from '../../kernel/store/store.ts';
import { HttpError, sessionRequired } from '../../kernel/errors.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { Static } from '../../kernel/schema.ts';
import { chooseHome } from './placement.ts';
import type { Purges } from './purge.ts';
import { removeAccount as remove } from './removal.ts';
import type * as schema from './schema.ts';
import { fail } from './errors.ts';

/** How long a request waits for a purge. */
const PURGE_MS = 20_000;

/** `account` is the administrator, `username` names the account to act on. */
interface AdminCall {
  readonly account: Account;
  readonly session: Session;
  readonly ip: string;
  readonly params: { readonly username: string };
}

/** Resolves with the shared snapshot of an account, by which caches know it. Errors: 404 `account_not_found`. */
export async function snapshot({ identity: { accounts } }: Host, username: string): Promise<Account> {
  const { id } = await accounts.get(username);
  return (await accounts.byId(id)) ?? accounts.get(username);
}

/** Errors: 403 `reauthentication_required` for a new administrator, 404 `node_not_found`. */
export async function createAccount(
  host: Host,
  { session, ip }: Omit<AdminCall, 'params'>,
  { password, node, ...rest }: Static<typeof schema.AccountBody>,
): Promise<schema.AccountView> {
  const { accounts, passwords } = host.identity;
  const check = mayChangeLogin(host, session, rest.role);
  await check(host.store);
  const account = { ...rest, ...(await chooseHome(host, rest.role, node)) };
  return accountReply(
    await accounts.create({ ...account, passwordHash: await passwords.hash(password, laneOf(session)) }, ip, check),
  );
}

export async function updateAccount(
  { identity, node }: Host,
  { params: { username }, session, ip }: AdminCall,
  change: Static<typeof schema.AccountChange>,
): Promise<schema.AccountView> {
  if (change.locale !== undefined) assertInstalled(node.locales, change.locale);
  await assertMayChange(identity, session, username);
  return accountReply(await identity.accounts.update(username, change, ip));
}

/** Errors: 400 `invalid_request` for a language that is not installed. */
export function assertInstalled({ names }: Locales, locale: string): void {
  if (!names.includes(locale))
    throw fail.invalid_request(`the language ${locale} is not installed; use one of ${names.join(', ')}`);
}

/** With `purge`, an account that is removed already is purged only. */
export async function removeAccount(
  host: Host,
  purges: Purges,
  call: AdminCall & { readonly query: { readonly purge: boolean } },
): Promise<Static<typeof schema.AccountRemoved>> {
  const { username } = otherThanCaller(call);
  const { accounts } = host.identity;
  const { purge } = call.query;
  const removed = { username, deleted: true as const, kept: [] as string[] };
  if (!purge || (await accounts.byUsername(username)) !== undefined) {
    await assertMayChange(host.identity, call.session, username);
    const { kept, files, problem } = await remove(host, username, call.ip);
    removed.kept.push(...kept);
    if (problem !== undefined)
      host.log.warn({ username, files, problem }, 'the files of a removed account stay in its files root');
  }
  if (!purge) return removed;
  const running = purges.run(username, { username: call.account.username, ip: call.ip });
  running.catch((error: unknown) => {
    if (!(error instanceof HttpError)) host.log.error({ username, err: error }, 'purging a removed account failed');
  });
  const later = delay(PURGE_MS, { state: 'running', parts: [] }, { ref: false });
  return { ...removed, purge: await Promise.race([running, later]) };
}

export async function suspendAccount({ identity }: Host, call: AdminCall): Promise<schema.AccountView> {
  const { username } = otherThanCaller(call);
  await assertMayChange(identity, call.session, username);
  await identity.accounts.suspend(username, call.ip);
  return accountReply(await identity.accounts.get(username));
}

export async function unsuspendAccount(
  { identity }: Host,
  { params: { username }, session, ip }: AdminCall,
): Promise<schema.AccountView> {
  await assertMayChange(identity, session, username);
  await identity.accounts.unsuspend(username, ip);
  return accountReply(await identity.accounts.get(username));
}

/**
 * Ends all sessions of the account except that of this request. Errors: 403 `reauthentication_required` for an
 * administrator's password, the own one or another's.
 */
export async function setPassword(
  host: Host,
  { params: { username }, ip, session }: AdminCall,
  password: string,
): Promise<Static<typeof schema.PasswordChanged>> {
  const { accounts, credentials, passwords } = host.identity;
  const account = await accounts.get(username);
  const check = mayChangeLogin(host, session, account.role);
  await check(host.store);
  await credentials.setPassword(account, await passwords.hash(password, laneOf(session)), {
    ip,
    keepSession: session.id,
    check,
  });
  return { username, changed: true };
}

/**
 * Returns a check that the session may set how an account of this role logs in. It is made twice: before the password is
 * hashed, and in the transaction.
 */
function mayChangeLogin({ identity: { sessions, reauthentication } }: Host, session: Session, role: Role) {
  return (reader: Reader) =>
    role === 'admin' ? reauthentication.assertRecent(reader, session) : sessions.assertAlive(reader, session);
}

/** Hashing for an administrator goes into the reserved lane: a flood of wrong logins must not delay it. */
function laneOf({ accountId }: Session): HashLane {
  return { client: accountId, isReserved: true };
}

export async function setFeature(
  { identity }: Host,
  { params, ip }: AdminCall & { readonly params: { readonly feature: string } },
  on: boolean | undefined,
): Promise<schema.AccountView> {
  await identity.accounts.setFeature(params.username, params.feature, on, ip);
  return accountReply(await identity.accounts.get(params.username));
}

export async function listSessions(
  { identity }: Host,
  username: string,
  { limit, cursor }: { limit: number; cursor: string },
): Promise<Static<typeof schema.SessionList>> {
  const { id } = await identity.accounts.get(username);
  const { rows, next } = await identity.sessions.page(id, limit, cursor);
  return {
    sessions: rows.map((row) => ({
      ...row,
      created_at: new Date(row.created_at).toISOString(),
      expires_at: new Date(row.expires_at).toISOString(),
    })),
    next_cursor: next,
  };
}

export async function endSessions(
  { identity }: Host,
  { params: { username }, ip }: AdminCall,
): Promise<Static<typeof schema.SessionsEnded>> {
  return { ended: await identity.sessions.endOthers(await identity.accounts.get(username), '', ip) };
}

export async function endSession(
  { identity }: Host,
  { params, ip }: AdminCall & { readonly params: { readonly id: string } },
): Promise<Static<typeof schema.SessionsEnded>> {
  await identity.sessions.end(await identity.accounts.get(params.username), params.id, ip);
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
  home,
}: Account): schema.AccountView {
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
    created_at: new Date(createdAt).toISOString(),
    node: home === '' ? null : home,
  };
}

/**
 * Rejects an API token that would change an administrator: one for billing must not take the server over. Errors: 403
 * `session_required`, 404 `account_not_found`.
 */
async function assertMayChange({ accounts }: Host['identity'], { grant }: Session, username: string): Promise<void> {
  if (grant !== undefined && (await accounts.get(username)).role === 'admin') throw sessionRequired();
}

function otherThanCaller({ account, params }: AdminCall): AdminCall['params'] {
  if (account.username === params.username)
    throw fail.own_account('administrators cannot suspend or remove their own account; another administrator can');
  return params;
}
