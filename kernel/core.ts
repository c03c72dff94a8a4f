import { join } from 'node:path';
import { readJson, type Config } from './config/configuration.ts';
import { Locales } from './config/locales.ts';
import { Accounts } from './identity/accounts.ts';
import { Keyring } from './identity/keyring.ts';
import { PasswordHasher } from './identity/password-hasher.ts';
import { Plans } from './identity/plans.ts';
import type { PlanLimits } from './identity/plan-limits.ts';
import { Sessions } from './identity/sessions.ts';
import type { Log } from './log.ts';
import { AuditLog } from './storage/audit-log.ts';
import { Revision } from './storage/revision.ts';
import { Store } from './storage/store.ts';
import { projectDir } from './system/project-dir.ts';

export const VERSION = String(readJson(join(projectDir, 'package.json'))['version']);

/** What outlives a change of the configuration: the store, and who may do what. */
export interface Core {
  readonly store: Store;
  readonly revision: Revision;
  readonly locales: Locales;
  readonly events: AuditLog;
  readonly plans: Plans;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly passwords: PasswordHasher;
  readonly keys: Keyring;
  close(): Promise<void>;
}

/** Opens the data folder, making it where it is missing, with the shipped plans in it. */
export async function openCore(config: Config, log: Log): Promise<Core> {
  const { store, keys } = await openFiles(config.data);
  const locales = new Locales();
  const revision = new Revision(store, config.data, log);
  const events = new AuditLog(store);
  const plans = new Plans(store, revision, events, locales.featureNames);
  const filesRoot = (username: string) =>
    config.files_root.replaceAll('{data}', config.data).replaceAll('{username}', username);
  const accounts = new Accounts({ store, revision, plans, events, filesRoot });
  const sessions = new Sessions({ store, revision, accounts, events, keys, log });
  const passwords = new PasswordHasher();
  await shipPlans(store, plans, locales);
  await revision.follow();
  const close = async () => {
    revision.close();
    sessions.close();
    await passwords.close();
    await store.close();
  };
  return { store, revision, locales, events, plans, accounts, sessions, passwords, keys, close };
}

/** Neither the store nor its keys are made anew where the other one is there: both were, and one was lost. */
async function openFiles(data: string): Promise<{ store: Store; keys: Keyring }> {
  const hadKeys = Keyring.exist(data); // asked first, as they are made after the store where two processes start at once
  const store = await Store.open(join(data, 'hostkeep.db'));
  try {
    if (hadKeys && (await store.get('select 1 from sqlite_master')) === undefined) {
      throw new Error(
        `hostkeep.db in ${data} is empty, but keys.json is not: put a backup of hostkeep.db in place, or remove keys.json to begin anew`,
      );
    }
    await store.migrate('kernel', join(projectDir, 'kernel/storage/migrations'));
    if ((await store.get('select 1 from accounts')) !== undefined && !Keyring.exist(data)) {
      throw new Error(
        `keys.json is missing in ${data}: put that of a backup in place, or make a new one with \`hostkeep session rotate-key\`: tokens end then, and second factors are lost`,
      );
    }
    return { store, keys: Keyring.open(data) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Puts the plans of `config/plans.json` into an empty store; from then on they are the operator's. Features of plugins
 * that were taken out of the installation are left out.
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
