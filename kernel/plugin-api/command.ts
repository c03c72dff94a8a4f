/**
 * Commands that a plugin adds to the command line: the default export of `plugins/<name>/commands.ts` lists them in
 * groups. That file is imported without the rest of the plugin, so that commands start quickly and can run alongside
 * the server.
 */
import type { Config } from '../config/configuration.ts';
import type { Locales } from '../config/locales.ts';
import type { Identity } from '../identity/identity.ts';
import type { Keyring } from '../identity/keyring.ts';
import type { AccountJobs } from '../jobs/account-jobs.ts';
import type { NodeInfo } from './node-info.ts';
import type { Host } from './plugin.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Store } from '../storage/store.ts';

export interface CommandOption {
  /** The option in commander's syntax: `--plan <name>`, or `--admin` for a switch. */
  readonly flags: string;
  readonly summary: string;
  readonly default?: string;
  /** Whether the value must be a number of at least 0. */
  readonly isNumber?: boolean;
  readonly isRequired?: boolean;
  /** The name of an option that excludes this one. */
  readonly conflicts?: string;
}

/** Values of options by name in camel case: `--password-stdin` is `passwordStdin`. */
export type OptionValues = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CommandContext {
  readonly config: Config;
  readonly locales: Locales;
  /**
   * Opens the store while `work` runs. A running server may have it open too, and sees changes at once. Rejects if there is
   * no store, unless `create` is true.
   */
  withStore<T>(
    work: (open: { identity: Identity; events: AuditLog; store: Store; jobs: AccountJobs }) => Promise<T>,
    access?: { readonly create?: boolean },
  ): Promise<T>;
  /** Sets all plugins up while `work` runs, serving nothing, for what only they can do. A server may be running. */
  withPlugins<T>(
    work: (open: { identity: Identity; jobs: AccountJobs; node: NodeInfo; gather: Host['gather'] }) => Promise<T>,
  ): Promise<T>;
  /** Opens only the keys, for when the store cannot be opened. */
  keyring(): Keyring;
  /** Resolves with all of standard input, without the newline that a shell adds. */
  readInput(): Promise<string>;
}

interface CommandOutput {
  /** The value that `--json` prints. */
  readonly value: unknown;
  /** The text that is printed without `--json`. */
  readonly text: string;
}

export interface Command {
  /** The name and arguments in commander's syntax: `add <username>`; optional arguments are in brackets. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly CommandOption[];
  run(context: CommandContext, args: readonly string[], options: OptionValues): Promise<CommandOutput>;
}

/** Commands with a common first word: `hostkeep account …`. Several plugins may add to one group. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

export function defineCommands(...groups: readonly CommandGroup[]): readonly CommandGroup[] {
  return groups;
}

/** Returns rows as text, in columns as wide as their widest cell. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const lineOf = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return all.map((row) => lineOf(row).trimEnd()).join('\n');
}
