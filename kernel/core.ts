import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, type Config } from './config/configuration.ts';
import { Locales } from './config/locales.ts';
import { Accounts } from './identity/accounts.ts';
import { Credentials } from './identity/credentials.ts';
import { Keyring } from './identity/keyring.ts';
import { PasswordHasher } from './identity/password-hasher.ts';
import { Plans } from './identity/plans.ts';
import type { PlanLimits } from './identity/plan-limits.ts';
import { Sessions } from './identity/sessions.ts';
import { AccountJobs, accountFilesOf } from './jobs/account-jobs.ts';
import { BrokerClient } from './jobs/broker-client.ts';
import type { Log } from './log.ts';
import { AuditLog } from './storage/audit-log.ts';
import { Revision } from './storage/revision.ts';
import { Store } from './storage/store.ts';
import { unknownMigrations } from './storage/unknown-migrations.ts';
import { filesRootOf } from './system/files-root.ts';
import { assertPrivate, assertPrivateFolder } from './system/private-file.ts';
import { projectDir, VERSION } from './system/project-dir.ts';

/** Files of the data folder that hold secrets, or decide who may do what. */
const DATA_FILES = ['keys.json', 'hostkeep.db', 'hostkeep.db-wal', 'hostkeep.db-shm', 'revision'];

/** The services that outlive a change of the configuration: the store, and identity. */
export interface Core {
  readonly store: Store;
  readonly revision: Revision;
  readonly locales: Locales;
  readonly events: AuditLog;
  readonly plans: Plans;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly passwords: PasswordHasher;
  readonly keys: Keyring;
  readonly jobs: AccountJobs;
  /** `undefined` where the service does with its own rights what it can. */
  readonly broker: BrokerClient | undefined;
  close(): Promise<void>;
}

/** Opens the data folder; creates it, with the shipped plans, if it is missing. */
export async function openCore(config: Config, log: Log): Promise<Core> {
  const { store, keys } = await openFiles(config.data);
  const locales = new Locales();
  const revision = new Revision(store, config.data, log);
  const events = new AuditLog(store);
  const plans = new Plans(store, revision, events, locales.featureNames);
  const filesRoot = (username: string) => filesRootOf(accountFilesOf(config, '').filesRoot, username).path;
  const accounts = new Accounts({ store, revision, plans, events, filesRoot });
  const credentials = new Credentials({ store, revision, accounts, events });
  const sessions = new Sessions({ store, revision, accounts, events, keys, log });
  const passwords = new PasswordHasher();
  const broker = config.broker.socket === '' ? undefined : new BrokerClient(config.broker.socket);
  const jobs = new AccountJobs(accountFilesOf(config, join(config.data, 'jobs')), config.jobs, log, broker);
  await shipPlans(store, plans, locales);
  await revision.follow();
  const close = async () => {
    revision.close();
    sessions.close();
    await jobs.close();
    await passwords.close();
    await store.close();
  };
  return {
    store,
    revision,
    locales,
    events,
    plans,
    accounts,
    credentials,
    sessions,
    passwords,
    keys,
    jobs,
    broker,
    close,
  };
}

/** Throws if other users could read or replace what the data folder holds. */
export function assertPrivateData(data: string): void {
  assertPrivateFolder(data);
  for (const name of DATA_FILES) assertPrivate(join(data, name));
}

/** Throws if the data folder holds neither a store nor keys, because a command that only looks must not create them. */
export function assertStoreExists(data: string): void {
  if (existsSync(join(data, 'hostkeep.db')) || Keyring.exist(data)) return;
  throw new Error(
    `there is no store in ${data}: start the server, or create the first administrator with \`hostkeep account add --admin <username>\``,
  );
}

/**
 * Opens the database and keys.json. Throws if only one of them exists, because then the other was lost, and if other users
 * could read or replace them.
 */
async function openFiles(data: string): Promise<{ store: Store; keys: Keyring }> {
  assertPrivateData(data);
  const hadKeys = Keyring.exist(data); // checked first: another process may be creating the store, then its keys
  const store = await Store.open(join(data, 'hostkeep.db'));
  try {
    if (hadKeys && (await store.get('select 1 from sqlite_master')) === undefined) {
      throw new Error(
        `hostkeep.db in ${data} is empty, but keys.json exists: run \`hostkeep restore --force <backup>\`, or remove keys.json to start over`,
      );
    }
    await assertMigrationsKnown(store, data);
    await store.migrate('kernel', join(projectDir, 'kernel/storage/migrations'));
    if ((await store.get('select 1 from accounts')) !== undefined && !Keyring.exist(data)) {
      throw new Error(
        `keys.json is missing in ${data}: run \`hostkeep restore --force <backup>\`, or create a new one with \`hostkeep session rotate-key\`, which ends all sessions and loses second factors`,
      );
    }
    return { store, keys: Keyring.open(data) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Throws before anything is migrated if a newer build has changed the tables, because this one would misread them. */
async function assertMigrationsKnown(store: Store, data: string): Promise<void> {
  const unknown = unknownMigrations(await store.migrations());
  if (unknown.length === 0) return;
  throw new Error(
    `the store in ${data} was migrated by a newer Hostkeep: this one, ${VERSION}, does not know ${unknown.join(', ')}; install the newer one again, or run \`hostkeep restore --force <backup>\` with a backup from before the upgrade`,
  );
}

/**
 * Adds the plans of `config/plans.json` to an empty store; operators can change them from then on. Leaves out features
 * of plugins that are not installed.
 */
async function shipPlans(store: Store, plans: Plans, { featureNames }: Locales): Promise<void> {
  if ((await store.get('select 1 from plans')) !== undefined) return;
  const shipped = readJson(join(projectDir, 'config/plans.json')) as Record<
    string,
    PlanLimits & { features: string[] }
  >;
  for (const [name, { features, ...limits }] of Object.entries(shipped))
    await plans.create(
      name,
      limits,
      features.filter((feature) => featureNames.has(feature)),
    );
}
