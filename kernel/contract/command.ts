/** Commands that a plugin adds to the command line: the default export of its `commands.ts`, which imports little. */
import type { Config } from '../config/configuration.ts';
import type { Locales } from '../config/locales.ts';
import type { Account } from '../identity/accounts/account.ts';
import type { Identity } from '../identity/identity.ts';
import type { Keyring } from '../identity/gate/keyring.ts';
import type { AccountJobs } from '../kit/jobs/account-jobs.ts';
import type { ControlGroups } from '../kit/programs/control-groups.ts';
import type { Membership, NodeInfo } from './node-info.ts';
import type { EffectiveSetting } from './settings/effective-setting.ts';
import type { Host } from './plugin.ts';
import type { Issue } from '../errors.ts';
import type { Static, TObject, TSchema } from '../schema.ts';
import type { AuditLog } from '../store/events/audit-log.ts';
import type { AppliedMigration } from '../store/store.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../log.ts';

export interface CommandOption {
  /** The option in commander's syntax: `--plan <name>`, or `--admin` for a switch. */
  readonly flags: string;
  /** Describes the value, with its unit, and the default. */
  readonly summary: string;
  readonly default?: string;
  /** Whether the value must be a number of at least 0. */
  readonly isNumber?: boolean;
  /** Returns the value of a text; throws `UsageError` for one that cannot be. */
  readonly parse?: (text: string) => string | number;
  readonly isRequired?: boolean;
  /** The name of an option that excludes this one. */
  readonly conflicts?: string;
}

/** A command that was given what it cannot work with. It did nothing, and ends with 2. */
export class UsageError extends Error {}

/** Parses the value of an option that counts something. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError('It must be a whole number of at least 1.');
  return Number(text);
}

/** Values of options by name in camel case: `--password-stdin` is `passwordStdin`. */
export type OptionValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** The files that make a data folder that of a node, for commands that put it into a fleet or take it out. */
export interface NodeFiles {
  /** Opens the store alone while `work` runs: without keys, and migrating nothing. */
  withStoreAlone<T>(work: (open: { store: Store; events: AuditLog }) => Promise<T>): Promise<T>;
  /** `undefined` for a node by itself. */
  membership(): Membership | undefined;
  /** Whether the folder has keys, unless its own store has no account that needs them, as after an installation. */
  hasKeysInUse(): Promise<boolean>;
  /** Makes the node a member of a fleet; `keys` are those of the fleet (`Keyring.copy`), for a node that has none in use. */
  join(membership: Membership, keys?: string): void;
  /** Makes the node one by itself; without keys it cannot open the store of the fleet any more. */
  leave(keepsKeys: boolean): void;
}

/** The files of a data folder, for commands that copy or replace them. */
export interface DataFiles {
  /** The data folder. */
  readonly folder: string;
  /** Names of its files: the keys, the store and the local store. */
  readonly names: { readonly keys: string; readonly store: string; readonly local: string };
  /** Throws unless the folder holds a store and sound keys, all closed to other users. */
  assertSound(): void;
  /** Whether the folder may have accounts; the store of a fresh installation, which was closed, has none. */
  isInUse(): Promise<boolean>;
  /** Returns the process that serves the folder; `undefined` if none does. */
  serving(): ServingProcess | undefined;
  /** Runs `work` while nobody serves the folder. Rejects, naming the process, if somebody does. */
  whileStopped<T>(work: () => Promise<T>): Promise<T>;
  /** Names those migrations that only a newer build has; `undefined` if there are none. */
  newerMigrations(applied: readonly Pick<AppliedMigration, 'owner' | 'name'>[]): string | undefined;
  /** Opens the store that the settings name: `url`, or else `file`, by default that of the folder. */
  open(settings: Config['store'], file?: string): Promise<Store>;
  /** Makes the tables of one store in another. Rejects if a plugin whose tables are in the source is not installed. */
  makeTables(source: Store, target: Store): Promise<void>;
}

/** A process that serves a data folder. */
export interface ServingProcess {
  readonly pid: number;
  /** When it began to serve, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** The parts that the process with rights has for all plugins. */
export interface PrivilegeParts {
  readonly jobs: AccountJobs;
  readonly groups?: ControlGroups;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** A plugin's verbs that need rights; see `Privileged`. */
export interface InstalledPrivilege {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly settings: unknown;
  /** Returns its verbs by name. */
  open(parts: PrivilegeParts): unknown;
}

/** The configuration, for commands that check and describe it. */
export interface ConfigurationFiles {
  /** The named file, or that of an installed node; `undefined` if there is neither. */
  readonly file: string | undefined;
  /** The defaults of the kernel's settings. */
  readonly shipped: Readonly<Record<string, unknown>>;
  /** Resolves with the schemas of the kernel's settings and of all settings; members may name files of secrets. */
  schemas(): Promise<{ readonly kernel: TObject; readonly whole: TObject }>;
  /** Resolves with all faults, whose paths are JSON pointers. `read` reads a file of the configuration. */
  check(
    read: (path: string) => Record<string, unknown>,
  ): Promise<{ readonly issues: readonly Issue[]; sourceOf(setting: string): string | undefined }>;
  /** Reads the configuration anew. Throws `ConfigError`. */
  read(): Config;
  /** Throws `ConfigError` unless a running process that goes by the settings `names` can change from one to the other. */
  assertReloadable(from: Config, to: Config, names: readonly (keyof Config)[]): void;
  /** Resolves with what plugins do with rights, each with its settings, of those that are on. */
  privileges(config: Config): Promise<InstalledPrivilege[]>;
  /** Resolves with all settings in effect; secrets are masked. */
  effective(): Promise<EffectiveSetting[]>;
}

/** The node of a demo, before its addresses open. */
export interface DemoNode
  extends Pick<NodeInfo, 'config' | 'locales' | 'plugins'>, Pick<Host, 'store' | 'events' | 'identity' | 'gather'> {
  /** Dates all accounts and events so far this long back. */
  backdate(ms: number): Promise<void>;
  /** See `AccountJobs.makeRoot`. */
  makeRoot(account: Account): Promise<void>;
}

/** The context of a command. */
export interface CommandContext {
  /** The configuration of the files; `settingsOf` has what the store lays over it. */
  readonly config: Config;
  readonly locales: Locales;
  /** Opens the store while `work` runs, beside a running server. Rejects if there is none, unless `create` is true. */
  withStore<T>(
    work: (open: { identity: Identity; events: AuditLog; store: Store; jobs: AccountJobs }) => Promise<T>,
    access?: { readonly create?: boolean },
  ): Promise<T>;
  /** Sets all plugins up while `work` runs, serving nothing, for what only they can do. A server may be running. */
  withPlugins<T>(
    work: (
      open: Pick<Host, 'identity' | 'events' | 'store' | 'jobs' | 'gather'> & {
        readonly node: NodeInfo;
        /** Returns the service of the command's plugin; `undefined` while that is off or unavailable. */
        readonly service: <S>() => S | undefined;
      },
    ) => Promise<T>,
  ): Promise<T>;
  /**
   * Serves a node until the process is asked to stop. `settings` are laid under the named configuration file; that of an
   * installed node is not read, whose data is that of real customers. `prepare` runs before the addresses open, and what it returns runs afterwards.
   */
  serveDemo(
    settings: Readonly<Record<string, unknown>>,
    prepare: (node: DemoNode) => Promise<(urls: { base_url: string; admin_url: string }) => void>,
  ): Promise<void>;
  /** Opens only the keys, for when the store cannot be opened. */
  keyring(): Keyring;
  readonly nodeFiles: NodeFiles;
  readonly files: DataFiles;
  readonly configuration: ConfigurationFiles;
  /** Resolves with the valid settings of a plugin, whose manifest it imports. Rejects with `ConfigError`. */
  settingsOf<S>(plugin: string): Promise<S>;
  /** Checks values with the schema that the API has for the same, and fills in defaults. Errors: 400 `invalid_request`. */
  checked<S extends TSchema>(schema: S, values: Readonly<Record<string, unknown>>): Static<S>;
  /** Prints at once what a command finds while it runs on; with `--json` as one line. */
  emit(output: CommandOutput): void;
  /** The width of the terminal in characters; `undefined` where standard output is none. */
  readonly columns: number | undefined;
  /** Resolves with all of standard input, without the newline that a shell adds. On a terminal, it says what is awaited. */
  readInput(what: string): Promise<string>;
}

export interface CommandOutput {
  /** The value that `--json` prints. */
  readonly value: unknown;
  /** The text that is printed without `--json`. */
  readonly text: string;
  /** Whether the command found something wrong: it ends with 1. */
  readonly isFailure?: boolean;
}

export interface Command {
  /** The name and arguments in commander's syntax: `add <username>`; optional arguments are in brackets. */
  readonly usage: string;
  /** Says what the command does; lists of commands show the first sentence. */
  readonly summary: string;
  readonly options?: readonly CommandOption[];
  /** Set for a command that destroys something: returns the question that must be answered, unless `--yes` is given. */
  asks?(args: readonly string[]): string;
  /** Resolves with what is left to print, `undefined` if that is nothing. */
  run(context: CommandContext, args: readonly string[], options: OptionValues): Promise<CommandOutput | undefined>;
}

/** Commands with a common first word: `hostkeep account …`. Several plugins may add to one group. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

/** Lists groups, and commands that stand alone: `hostkeep top`. */
export function defineCommands(...commands: readonly (CommandGroup | Command)[]): readonly (CommandGroup | Command)[] {
  return commands;
}

/** Failures that only the command line knows, by the code that `--json` shows. */
export const COMMAND_FAILURES = {
  nothing_to_change: 'Nothing to change',
  confirmation_required: 'Confirmation required',
  not_confirmed: 'Not confirmed',
  server_not_running: 'No server running',
  reload_failed: 'The configuration was not reloaded',
  not_a_package: 'Not an installed package',
} as const;

/** A failure that has no code of the API; see `COMMAND_FAILURES`. */
export class CommandFailure extends Error {
  readonly code: keyof typeof COMMAND_FAILURES;

  constructor(code: keyof typeof COMMAND_FAILURES, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** Throws if a command would leave everything as it is, because then it was probably not what was meant. */
export function assertChange(isChange: boolean, asItIs: string): void {
  if (!isChange) throw new CommandFailure('nothing_to_change', `nothing to change: ${asItIs}`);
}
