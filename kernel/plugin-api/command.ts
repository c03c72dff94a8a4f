/**
 * Commands that a plugin adds to the command line: `plugins/<name>/commands.ts` exports groups of them as its default.
 * That file is imported without the rest of the plugin, so that a command starts quickly and runs beside the server.
 */
import type { Config } from '../config/configuration.ts';
import type { Locales } from '../config/locales.ts';
import type { Identity } from '../identity/identity.ts';
import type { Keyring } from '../identity/keyring.ts';
import type { AuditLog } from '../storage/audit-log.ts';
import type { Store } from '../storage/store.ts';

export interface CommandOption {
  /** As it is typed: `--plan <name>`, or `--admin` for a switch. */
  readonly flags: string;
  readonly summary: string;
  readonly default?: string;
  /** The value is a number of at least 0. */
  readonly isNumber?: boolean;
  readonly isRequired?: boolean;
  /** Name of an option that must not be given beside this one. */
  readonly conflicts?: string;
}

/** What was given, by the option's name in camel case: `--password-stdin` is `passwordStdin`. */
export type OptionValues = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CommandContext {
  readonly config: Config;
  readonly locales: Locales;
  /** Opens the store, which a running server may have open too, for the time of `work`; the server sees changes at once. */
  withStore<T>(work: (open: { identity: Identity; events: AuditLog; store: Store }) => Promise<T>): Promise<T>;
  /** The keys alone, for when the store cannot be opened. */
  keyring(): Keyring;
  /** All of standard input, without the line end that a shell adds. */
  readInput(): Promise<string>;
}

interface CommandOutput {
  /** What `--json` prints. */
  readonly value: unknown;
  /** What a person reads. */
  readonly text: string;
}

export interface Command {
  /** The name and its arguments: `add <username>`; optional ones are in brackets. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly CommandOption[];
  run(context: CommandContext, args: readonly string[], options: OptionValues): Promise<CommandOutput>;
}

/** Commands under one word: `hostkeep account …`. Several plugins may add to one group. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

export function defineCommands(...groups: readonly CommandGroup[]): readonly CommandGroup[] {
  return groups;
}

/** Rows in columns as wide as their widest cell. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const lineOf = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
  return all.map((row) => lineOf(row).trimEnd()).join('\n');
}
