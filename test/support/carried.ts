import { checkArchived, type ImportNotes } from '../../kernel/contract/points/archive-part.ts';
import { errorMessage } from '../../kernel/errors.ts';
import * as assert from './assert.ts';
import type { TestServer } from './hostkeep.ts';

/** Resolves with what a plugin keeps of an account, as an archive has it. */
export async function archivedPart<T>(server: TestServer, username: string, plugin: string): Promise<T> {
  const { part } = await partOf(server, plugin);
  const saved = await part.save(await server.hostkeep.core.accounts.get(username));
  return JSON.parse(JSON.stringify(saved ?? null)) as T;
}

/** Puts that back at a server, for an account that is suspended meanwhile. Errors: those of an import. */
export async function putBack(
  server: TestServer,
  username: string,
  plugin: string,
  saved: unknown,
): Promise<ImportNotes> {
  const { accounts } = server.hostkeep.core;
  const { part } = await partOf(server, plugin);
  const told: ImportNotes = { missing: [], next: [] };
  const checked = checkArchived(plugin, part, saved);
  await accounts.suspend(username);
  await part.restore(await accounts.get(username), checked, told);
  await accounts.unsuspend(username);
  await part.serve?.(await accounts.get(username), checked, told);
  return told;
}

/** Puts that back for an account that is in use, as from a backup. */
export async function putBackLive(
  server: TestServer,
  username: string,
  plugin: string,
  saved: unknown,
): Promise<ImportNotes> {
  const account = await server.hostkeep.core.accounts.get(username);
  const { part } = await partOf(server, plugin);
  const told: ImportNotes = { isLive: true, missing: [], next: [] };
  const checked = checkArchived(plugin, part, saved);
  await part.restore(account, checked, told);
  await part.serve?.(account, checked, told);
  return told;
}

/** Resolves with why an archive is refused that has this of a plugin. */
export function refusal(server: TestServer, username: string, plugin: string, saved: unknown): Promise<string> {
  return putBack(server, username, plugin, saved).then(() => 'nothing', errorMessage);
}

/** Resolves with what somebody is answered; with the status and the code of an error. */
export async function outcome(
  who: Awaited<ReturnType<typeof siteOwner>>,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const { status, body: answer } = await who(method, path, body);
  return status < 300 ? answer : `${status} ${String((answer as Record<string, unknown>)['error'])}`;
}

/** Makes an account with the domain `<username>.example`; returns how it asks. */
export async function siteOwner(server: TestServer, username: string, plan?: string) {
  const { account } = await server.user(username, plan);
  const ask = async (method: string, path: string, body?: object) =>
    server.ask(path, { method, token: await server.token(account), ...(body && { body }) });
  assert.is((await ask('POST', '/api/domains/new', { domain_url: `${username}.example` })).status, 201);
  return ask;
}

/** Returns what one owner has with the domain of another one, without what differs from one installation to the next. */
export const atDomain = <T>(value: T, from: string, to: string): T =>
  JSON.parse(
    JSON.stringify(value, (name, each: unknown) => (/_id$|_at$/.test(name) ? undefined : each)).replaceAll(
      `${from}.example`,
      `${to}.example`,
    ),
  ) as T;

async function partOf(server: TestServer, plugin: string) {
  const answer = (await server.hostkeep.plugins.gather('archive')).find((each) => each.plugin === plugin);
  if (answer?.ok !== true) throw answer?.error ?? new Error(`${plugin} has no part of an archive`);
  return { part: answer.value };
}
