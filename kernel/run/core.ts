import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, type Config } from '../config/configuration.ts';
import { Locales } from '../config/locales.ts';
import { Idempotency } from '../http/idempotency.ts';
import { AccountCells } from '../identity/accounts/account-cells.ts';
import { GivenIds } from './data/given-ids.ts';
import { Accounts } from '../identity/accounts/accounts.ts';
import { Credentials } from '../identity/gate/credentials.ts';
import { Keyring } from '../identity/gate/keyring.ts';
import { PasswordHasher } from '../identity/gate/password-hasher.ts';
import type { Identity } from '../identity/identity.ts';
import { Plans } from '../identity/accounts/plans.ts';
import { Reauthentication } from '../identity/gate/reauthentication.ts';
import { LIMITS } from '../config/limits.ts';
import { ApiTokens } from '../identity/gate/api-tokens/api-tokens.ts';
import { Sessions } from '../identity/gate/sessions.ts';
import { SessionSweeper } from '../identity/gate/session-sweeper.ts';
import { AccountJobs, accountFiles } from '../kit/jobs/account-jobs.ts';
import type { Launcher } from '../kit/jobs/launcher.ts';
import type { Log } from '../log.ts';
import { AuditLog } from '../store/events/audit-log.ts';
import type { LoggedEvent } from '../store/events/event-types.ts';
import { forgetNewerAccounts, LOCAL_FILE, migrateStores, type Stores } from '../store/local-store.ts';
import type { AppliedMigration } from '../store/store.ts';
import { Leases } from '../store/lease.ts';
import type { Membership } from '../contract/node-info.ts';
import { clockSlackMs, readMembership } from './data/membership.ts';
import { Revision } from '../store/revision.ts';
import { openStore } from './data/open-store.ts';
import { SqliteEngine } from '../store/sqlite/sqlite-engine.ts';
import type { Store } from '../store/store.ts';
import { migrationNames, unknownMigrations } from './data/unknown-migrations.ts';
import { resolveFilesRoot } from '../kit/files/files-root.ts';
import { Leadership } from '../workers/leadership.ts';
import { topic } from '../workers/topic.ts';
import { soleWorker } from '../workers/sole-worker.ts';
import type { Workers } from '../workers/workers.ts';
import { assertPrivate, assertPrivateFolder } from '../kit/files/private-file.ts';
import { minorsAhead, projectDir, VERSION } from '../kit/files/project-dir.ts';
import { importDefault, pluginsWith } from '../kit/files/plugin-files.ts';

/** Files of the data folder that hold secrets, or decide who may do what. */
const DATA_FILES = [
  'keys.json',
  'revision',
  ...['hostkeep.db', LOCAL_FILE].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]),
];

/** Published after each commit. */
const EVENT = topic<LoggedEvent>('event');

/** The services that outlive a change of the configuration: the store, and identity. */
export interface Core extends Identity, Stores {
  readonly revision: Revision;
  readonly locales: Locales;
  readonly events: AuditLog;
  readonly sweeper: SessionSweeper;
  readonly leases: Leases;
  readonly idempotency: Idempotency;
  readonly jobs: AccountJobs;
  /** `undefined` for a node by itself. */
  readonly membership: Membership | undefined;
  readonly leadership: Leadership;
  readonly workers: Workers;
  /** `undefined` where the service does with its own rights what it can. */
  readonly broker: Launcher | undefined;
  close(): Promise<void>;
}

/** Returns the workers of a process that serves, or examines, a data folder by itself. */
const alone = (): Pick<Core, 'leadership' | 'workers'> => ({ leadership: Leadership.alone(), workers: soleWorker() });

/** Opens the data folder; creates it, with the shipped plans, if it is missing. */
export async function openCore(config: Config, log: Log, { leadership, workers } = alone()): Promise<Core> {
  const membership = readMembership(config.data);
  const { store, local, keys } = await openFiles(config, log, workers);
  const locales = new Locales();
  const cells = new AccountCells();
  const revision = new Revision(store, log, (accountId) => cells.forget(accountId));
  const here = membership?.name ?? '';
  const leases = new Leases({ store, here, log });
  const events = new AuditLog(store, here);
  events.listen((event, isOwn) => isOwn && workers.publish(EVENT, event));
  workers.subscribe(EVENT, (event) => events.heard(event));
  const plans = new Plans(store, revision, events, locales.featureNames);
  const filesRoot = (username: string) => resolveFilesRoot(accountFiles(config, '').filesRoot, username).path;
  const broker = config.broker.socket === '' ? undefined : await launcherAt(config.broker.socket);
  const jobs = new AccountJobs(accountFiles(config, join(config.data, 'jobs')), config.jobs, log, broker, (number) =>
    workers.perWorker(number),
  );
  const ids = new GivenIds(config.data, jobs);
  await ids.raise(store);
  const accounts = new Accounts({ store, local, leases, revision, cells, plans, events, ids, filesRoot, here, log });
  const credentials = new Credentials({ store, revision, accounts, events });
  const tokens = new ApiTokens({ store, revision, accounts, events, log });
  const sessions = new Sessions({ store, revision, accounts, events, keys, tokens });
  const reauthentication = new Reauthentication(clockSlackMs(membership));
  const sweeper = new SessionSweeper({ store, sessions, tokens, leadership, log });
  const passwords = new PasswordHasher((number) => workers.perWorker(number));
  const idempotency = new Idempotency({ store, leases, keys, log });
  await shipPlans(store, plans, locales);
  await revision.follow({ leadership, workers });
  const close = async () => {
    await revision.close();
    sweeper.close();
    await tokens.close();
    await jobs.close();
    await passwords.close();
    await leadership.close();
    await leases.close();
    await local.close();
    await store.close();
  };
  return {
    store,
    local,
    revision,
    locales,
    events,
    plans,
    accounts,
    credentials,
    sessions,
    reauthentication,
    sweeper,
    tokens,
    passwords,
    keys,
    leases,
    idempotency,
    jobs,
    membership,
    leadership,
    workers,
    broker,
    close,
  };
}

/** Imports what speaks with the broker only where there is one. */
async function launcherAt(socket: string): Promise<Launcher> {
  for (const plugin of pluginsWith('launcher')) {
    const open = await importDefault<(socket: string) => Launcher>(plugin, 'launcher');
    if (open !== undefined) return open(socket);
  }
  throw new Error('broker.socket is set, and no plugin that is installed speaks with a broker');
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
 * Opens both databases and keys.json. Throws if only one of them exists, because then the other was lost, and if other users
 * could read or replace them.
 */
async function openFiles(config: Config, log: Log, workers: Workers): Promise<Stores & { keys: Keyring }> {
  const { data } = config;
  assertPrivateData(data);
  const hadKeys = Keyring.exist(data); // checked first: another process may be creating the store, then its keys
  const store = await openStore(data, config.store, { share: (number) => workers.perWorker(number) });
  let local: Store | undefined;
  try {
    if (hadKeys && (await store.migrations()).length === 0) {
      throw new Error(
        `the store ${store.place} is empty, but keys.json exists in ${data}: ${store.remedy}, or remove keys.json to start over`,
      );
    }
    local = await SqliteEngine.open(join(data, LOCAL_FILE));
    const stores = { store, local };
    const newer = await migrationsOfNewer(stores);
    if (newer.length > 0) {
      if (config.store.url === '' || !newer.every(isOfNextMinor))
        throw new Error(
          `the store in ${data} was migrated by a newer Hostkeep: this one, ${VERSION}, does not know ${migrationNames(newer)}; install the newer one again, or take a backup from before the upgrade: ${store.remedy}`,
        );
      log.warn({ migrations: migrationNames(newer) }, 'a newer version has migrated the store: upgrade this one soon');
    }
    await migrateStores(stores, 'kernel', join(projectDir, 'kernel/store/migrations'));
    await forgetNewerAccounts(stores);
    if ((await store.get('select 1 from accounts')) !== undefined && !Keyring.exist(data)) {
      throw new Error(
        `keys.json is missing in ${data}: run \`hostkeep restore --force <backup>\`, or create a new one with \`hostkeep session rotate-key\`, which ends all sessions and loses second factors`,
      );
    }
    return { ...stores, keys: Keyring.open(data) };
  } catch (error) {
    await local?.close();
    await store.close();
    throw error;
  }
}

/** Resolves with the migrations that only a newer build has; this one would misread the tables, unless it is next to that. */
async function migrationsOfNewer({ store, local }: Stores): Promise<AppliedMigration[]> {
  const ofLocal = (await local.migrations()).map((each) => ({ ...each, name: `local/${each.name}` }));
  return unknownMigrations([...(await store.migrations()), ...ofLocal]);
}

/**
 * The version before tolerates each migration in PostgreSQL: nodes of a fleet one minor version apart share a
 * store, and a node that goes back to the version before has no copy of it.
 */
const isOfNextMinor = ({ version }: AppliedMigration): boolean =>
  version !== undefined && minorsAhead(version, VERSION) <= 1;

/**
 * Adds the plans of `config/plans.json` to an empty store; operators can change them from then on. Leaves out limits
 * and features of plugins that are not installed.
 */
async function shipPlans(store: Store, plans: Plans, { featureNames }: Locales): Promise<void> {
  if ((await store.get('select 1 from plans')) !== undefined) return;
  const shipped = readJson(join(projectDir, 'config/plans.json')) as Record<
    string,
    { description: string; limits: Record<string, number>; features: string[] }
  >;
  await plans.ship(
    Object.entries(shipped).map(([name, { description, limits, features }]) => {
      const known = LIMITS.flatMap(({ name: limit }) => (limit in limits ? [[limit, limits[limit] ?? 0]] : []));
      const change = { description, limits: Object.fromEntries(known) };
      return [name, change, features.filter((feature) => featureNames.has(feature))];
    }),
  );
}

/** Rejects if `files_root` is where a customer could put another folder in the place of an account's. */
export async function assertRootsSafe({ jobs, accounts }: Core): Promise<void> {
  const [unsafe] = await jobs.unsafeParents(() => accounts.usernamesOfHere());
  if (unsafe !== undefined)
    throw new Error(`${unsafe} belongs to, or may be changed by, other users, who could exchange the files_root in it`);
}
