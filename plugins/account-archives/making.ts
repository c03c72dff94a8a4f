/** How an account is made of what comes from elsewhere: an archive, or the backups of an account that was removed. */
import { errorMessage, HttpError } from '../../kernel/errors.ts';
import type { AccountSource, FormerDatabase, Making } from '../../kernel/areas/archives/account-maker.ts';
import { unlessRefused } from '../../kernel/contract/points/archive-part.ts';
import type { DatabaseBackups } from '../../kernel/contract/points/backup-source.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { NewDatabaseName } from '../../kernel/kit/databases/schema.ts';
import { LOOK } from './commands/jobs.ts';
import { fail } from './errors.ts';
import type { Node } from './run.ts';
import { beginImport, endImport } from './unfinished.ts';
import { undo } from './unmaking.ts';

const DATABASE_NAME = new RegExp(NewDatabaseName.pattern ?? '');

/** See `AccountMaker.make`. */
export async function makeAccount(host: Node, source: AccountSource, making: Making): Promise<Account> {
  const { identity, store, gather, node } = host;
  const { username, plan, passwordHash, say, signal } = making;
  const { accounts } = identity;
  const servers = await databaseServers(host);
  if (node.fleet !== undefined)
    for (const place of await gather('placement', node.fleet.name)) if (!place.ok) throw place.error;
  signal.throwIfAborted();
  await accounts.create({ username, plan, role: 'user', email: source.account.email, passwordHash }, '', (tx) =>
    beginImport(tx, username, source.name),
  );
  let isAlone = false;
  try {
    const account = await accounts.get(username);
    await assertNothingThere(host, account, signal);
    isAlone = true;
    await bring(host, account, source, { ...making, servers });
    signal.throwIfAborted();
    await store.write(async (tx) => {
      await endImport(tx, username);
      await source.record(tx, account);
    });
    return account;
  } catch (error) {
    say(`${username} is removed again`);
    const problems = await undo(host, username, isAlone).catch((problem: unknown) => [errorMessage(problem)]);
    if (problems.length === 0) throw error;
    const left = `; run hostkeep account purge ${username}, as something stays: ${problems.join('; ')}`;
    throw new HttpError(error instanceof HttpError ? error.code : 'internal_error', `${errorMessage(error)}${left}`, {
      cause: error,
    });
  }
}

/** Resolves with how databases of each kind are dumped and restored. Errors: 503 where nobody knows what an account has. */
export async function databaseServers({ gather, node }: Pick<Node, 'gather' | 'node'>): Promise<DatabaseBackups[]> {
  const away = node.plugins().find(({ state, keepsByName }) => state === 'unavailable' && keepsByName === true);
  if (away !== undefined)
    throw fail.feature_unavailable(`the plugin ${away.name} is unavailable: ${away.reason ?? ''}`);
  return (await gather('databaseBackups')).map((part) => {
    if (!part.ok) throw part.error;
    return part.value;
  });
}

type Bringing = Making & { readonly servers: readonly DatabaseBackups[] };

async function bring(host: Node, account: Account, source: AccountSource, bringing: Bringing): Promise<void> {
  const { say, signal } = bringing;
  const { told } = source;
  await settle(host, account, source);
  say('files');
  await source.files(account);
  for (const database of source.databases) {
    signal.throwIfAborted();
    try {
      const name = await restoreDatabase(account, source, database, bringing);
      if (name !== database.name) told.next.push(`have sites use the database ${name} in place of ${database.name}`);
    } catch (error) {
      signal.throwIfAborted();
      told.missing.push(`the database ${database.name}: ${errorMessage(error)}`);
    }
  }
  signal.throwIfAborted();
  say('settings');
  await source.settings(account);
}

/** Sets what the account has of its own. */
async function settle(
  { identity, node }: Node,
  { username, features }: Account,
  { account: { locale, features: former }, grants, told }: AccountSource,
): Promise<void> {
  const { accounts } = identity;
  if (node.locales.names.includes(locale)) await accounts.update(username, { locale });
  for (const [feature, isGranted] of Object.entries(former)) {
    if (isGranted === features.has(feature)) continue;
    const set = () => accounts.setFeature(username, feature, isGranted);
    if (grants) await unlessRefused(told, `the feature ${feature}`, set);
    else if (!isGranted) await set();
    else
      told.next.push(
        `grant the feature ${feature}, if it may have that: hostkeep feature on ${feature} --account ${username}`,
      );
  }
}

/** Resolves with the name that the database has here. */
async function restoreDatabase(
  account: Account,
  source: AccountSource,
  database: FormerDatabase,
  { servers, say, signal }: Bringing,
): Promise<string> {
  const { engine, name } = database;
  const server = servers.find((each) => each.engine === engine);
  if (server === undefined) throw fail.feature_unavailable(`databases of ${engine} are not managed here`);
  const prefix = `${source.account.username}_`;
  const suffix = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  if (!DATABASE_NAME.test(suffix)) throw fail.invalid_request('no account can give a database this name');
  const body = await source.dump(account, database);
  say(`database ${name}`);
  const made = await server.create(account, suffix, '');
  await server.restore(account, made, { ip: '', signal, body });
  return made;
}

/** Rejects if there is something of the account's name that is somebody's: whatever removed the account again would remove that, too. */
async function assertNothingThere({ gather, jobs }: Node, account: Account, signal: AbortSignal): Promise<void> {
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
  throw fail.name_in_use(
    `there is something of the name ${account.username} already: ${found.join('; ')}; move it away, or choose another name`,
  );
}
