import { errorMessage, HttpError } from '../../../kernel/errors.ts';
import type { ImportNotes } from '../../../kernel/contract/archives/archive-part.ts';
import type { DatabaseBackups } from '../../../kernel/contract/points/database-servers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import type { ClaimedAccount } from '../../../kernel/identity/accounts/removed-accounts.ts';
import { NewDatabaseName } from '../../../kernel/kit/databases/schema.ts';
import type { Archive } from './archive-file.ts';
import { fail } from '../errors.ts';
import { databaseSources } from './export-account.ts';
import { LOOK, POOL, UNPACK } from './jobs.ts';
import { FILES, type Manifest } from './manifest.ts';
import type { SavedPart } from '../../../kernel/contract/archives/saved-parts.ts';
import { archivedParts, restoreParts } from './parts.ts';
import type { Run } from './run.ts';
import { beginImport, endImport, unfinishedImports } from '../unfinished.ts';

export interface Imported extends ImportNotes {
  readonly account: Account;
  readonly password: string;
}

/** All that is needed to bring an account. */
interface Bringing {
  readonly archive: Archive;
  readonly sources: readonly DatabaseBackups[];
  readonly parts: readonly SavedPart[];
  readonly told: ImportNotes;
}

const DATABASE_NAME = new RegExp(NewDatabaseName.pattern ?? '');

/**
 * Makes an account of an archive; `chosen` are its name and plan here. Whatever fails removes it again, except a database and what a
 * plugin can do without. Errors: those of `Accounts.create`, 422 `account_archive_refused`, those of parts.
 */
export async function importAccount(
  run: Run,
  archive: Archive,
  chosen: { readonly username: string; readonly plan: string | null },
): Promise<Imported> {
  const { identity, store, events, gather, node } = run.node;
  const { accounts, passwords } = identity;
  const { account: source, created_at: exportedAt } = archive.manifest;
  const told: ImportNotes = { missing: [], next: [] };
  for (const unfinished of await unfinishedImports(store)) run.say(unfinished);
  const bringing = {
    ...{ archive, told, sources: await databaseSources(run.node) },
    parts: await archivedParts(run.node, archive.manifest.parts, told),
  };
  if (node.fleet !== undefined)
    for (const place of await gather('placement', node.fleet.name)) if (!place.ok) throw place.error;
  const password = passwords.random();
  const passwordHash = await passwords.hash(password);
  run.signal.throwIfAborted();
  await accounts.create({ ...chosen, role: 'user', email: source.email, passwordHash }, '', (tx) =>
    beginImport(tx, chosen.username),
  );
  let isAlone = false;
  try {
    const account = await accounts.get(chosen.username);
    await assertNothingThere(run, account);
    isAlone = true;
    await bring(run, account, bringing);
    run.signal.throwIfAborted();
    const data = { exported_as: source.username, exported_at: exportedAt };
    await store.write(async (tx) => {
      await endImport(tx, account.username);
      await events.record(tx, { type: 'account.imported', account, ip: '', text: 'came from an archive', data });
    });
    return { account, password, ...told };
  } catch (error) {
    run.say(`${chosen.username} is removed again`);
    const problems = await undo(run, chosen.username, isAlone).catch((problem: unknown) => [errorMessage(problem)]);
    if (problems.length === 0) throw error;
    const left = `; run hostkeep account purge ${chosen.username}, as something stays: ${problems.join('; ')}`;
    throw new HttpError(error instanceof HttpError ? error.code : 'internal_error', `${errorMessage(error)}${left}`, {
      cause: error,
    });
  }
}

/** The account is suspended while plugins put back what they keep, so that nothing is served of which a part is still missing. */
async function bring(run: Run, account: Account, { archive, sources, parts, told }: Bringing): Promise<void> {
  const { accounts } = run.node.identity;
  const { account: source, databases } = archive.manifest;
  const { username } = account;
  told.next.push(...(await settle(run, account, source)));
  run.say('files');
  await unpackFiles(run, account, archive);
  for (const database of databases) {
    run.signal.throwIfAborted();
    try {
      const name = await restoreDatabase(run, account, archive, sources, database);
      if (name !== database.name) told.next.push(`have sites use the database ${name} in place of ${database.name}`);
    } catch (error) {
      run.signal.throwIfAborted();
      told.missing.push(`the database ${database.name}: ${errorMessage(error)}`);
    }
  }
  run.say('settings');
  await restoreParts(run, username, parts, told, { isOpen: true });
  await accounts.suspend(username);
  await restoreParts(run, username, parts, told, { isOpen: false });
  if (source.is_suspended) return;
  await accounts.unsuspend(username);
  const open = await accounts.get(username);
  for (const { part, saved } of parts) await part.serve?.(open, saved, told);
}

/** Sets what the account has of its own; features that it was granted are the operator's to grant. Resolves with what is left to do. */
async function settle(
  { node: { identity, node } }: Run,
  account: Account,
  told: Manifest['account'],
): Promise<string[]> {
  const { username } = account;
  if (node.locales.names.includes(told.locale)) await identity.accounts.update(username, { locale: told.locale });
  const next: string[] = [];
  for (const [feature, isGranted] of Object.entries(told.features))
    if (!isGranted && account.features.has(feature)) await identity.accounts.setFeature(username, feature, false);
    else if (isGranted && !account.features.has(feature))
      next.push(
        `grant the feature ${feature}, if it may have that: hostkeep feature on ${feature} --account ${username}`,
      );
  return next;
}

async function unpackFiles({ node: { jobs }, signal }: Run, account: Account, archive: Archive): Promise<void> {
  const { chunks } = archive.member(FILES) ?? {};
  if (chunks === undefined) return;
  const pool = jobs.open(POOL);
  const onAsk = async () => {
    const { done, value } = chunks.next();
    return done === true ? { answer: 'end', bytes: Buffer.alloc(0) } : { answer: null, bytes: value };
  };
  try {
    const { inodes_limit: most = 0, disk_limit_mib: mostMib = 0 } = account.plan?.limits ?? {};
    await pool.run(UNPACK, jobs.ownerOf(account, { makesRoot: true }), { most, mostMib }, { signal, onAsk });
  } finally {
    await pool.close();
  }
}

/** Resolves with the name that the database has here. */
async function restoreDatabase(
  { say, signal }: Run,
  account: Account,
  archive: Archive,
  sources: readonly DatabaseBackups[],
  { engine, name, member }: Manifest['databases'][number],
): Promise<string> {
  const source = sources.find((each) => each.engine === engine);
  const dump = archive.member(member);
  if (source === undefined) throw fail.feature_unavailable(`databases of ${engine} are not managed here`);
  if (dump === undefined) throw fail.account_archive_refused('the archive has no dump of it');
  const prefix = `${archive.manifest.account.username}_`;
  const suffix = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  if (!DATABASE_NAME.test(suffix)) throw fail.invalid_request('no account can give a database this name');
  say(`database ${name}`);
  const made = await source.create(account, suffix, '');
  async function* pieces() {
    yield* dump?.chunks ?? [];
  }
  await source.restore(account, made, { ip: '', signal, body: Object.assign(pieces(), { sizeBytes: dump.sizeBytes }) });
  return made;
}

/** Rejects if there is something of the account's name that is somebody's: whatever removed the account again would remove that, too. */
async function assertNothingThere({ node: { gather, jobs }, signal }: Run, account: Account): Promise<void> {
  const found: string[] = [];
  for (const part of await gather('accountReport', account)) {
    if (!part.ok) throw part.error;
    const databases = part.value.usage?.find(({ resource }) => resource === 'databases')?.used ?? 0;
    if (databases > 0) found.push(`${databases} databases`);
  }
  for (const part of await gather('move')) {
    if (!part.ok) throw part.error;
    found.push(...(await part.value.obstacles(account)));
  }
  if (found.length === 0) {
    const files = await jobs.run(LOOK, account, null, { makesRoot: true, signal });
    if (files > 0) found.push(`files in ${account.filesRoot}`);
  }
  if (found.length === 0) return;
  throw fail.account_archive_refused(
    `there is something of the name ${account.username} already: ${found.join('; ')}; move it away, or choose another name with --username`,
  );
}

/**
 * Removes an account that was begun, and frees its name; with `isAlone`, also what it has by now. Resolves with why something stays, and
 * the name with it.
 */
async function undo({ node }: Run, username: string, isAlone: boolean): Promise<string[]> {
  const { accounts } = node.identity;
  await accounts.remove(username);
  const removed = await accounts.removed.claim(username);
  try {
    const problems = isAlone ? await removeAll(node, removed) : [];
    if (problems.length === 0) await accounts.removed.release(removed, { username: '', ip: '' });
    return problems;
  } finally {
    await removed.lease.release();
  }
}

async function removeAll({ gather, jobs }: Run['node'], removed: ClaimedAccount): Promise<string[]> {
  const { signal } = removed.lease;
  const parts = (await gather('purge', removed, signal)).flatMap((answer) =>
    answer.ok ? answer.value.map(({ problem }) => problem) : [errorMessage(answer.error)],
  );
  const files = await jobs.removeFiles(removed, signal);
  const all = [...parts, files.problem, files.isComplete ? undefined : 'not all files were removed in time'];
  return all.filter((problem) => problem !== undefined);
}
