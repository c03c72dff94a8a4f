import { installedConfig, loadConfig, type Config } from '../config/configuration.ts';
import { assertStoreExists, openCore, type Core } from './core.ts';
import { createLog, outputAt } from '../log.ts';
import { Leadership } from '../workers/leadership.ts';
import { soleWorker } from '../workers/sole-worker.ts';

/** The least: a command does one thing after the other, and does not listen. */
const CONNECTIONS = 3;
/** The place of a command: a node may serve the data folder, and does what is done once. */
const BESIDE = { leadership: Leadership.none(), workers: soleWorker() };

/** Options of the program itself, which every command has. */
export interface GlobalOptions {
  readonly config?: string;
}

/** Returns the named configuration file, or else that of an installed node; `undefined` if there is neither. */
export const configFile = ({ config = installedConfig() }: GlobalOptions): string | undefined => config;

/** Reads the named configuration, or else that of an installed node. */
export function readConfig(options: GlobalOptions): Config {
  return loadConfig(configFile(options), process.env);
}

/**
 * Opens the core while `work` runs. A server may be running on the same data; it sees changes at once. Rejects if there is
 * no store, unless `create` is true.
 */
export async function withCore<T>(
  options: GlobalOptions,
  work: (core: Core) => Promise<T>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<T> {
  const config = readConfig(options);
  if (!create) assertStoreExists(config.data);
  const store = { ...config.store, connections: CONNECTIONS };
  const core = await openCore({ ...config, store }, createLog('error', outputAt(2)), BESIDE);
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

/** Prints the value as JSON if `--json` is given, else the text. */
export function print(asJson: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${asJson === true ? JSON.stringify(value, undefined, 2) : text}\n`);
}

/** Resolves with all of standard input, without the newline that a shell adds. On a terminal, it says what is awaited. */
export async function readInput(what: string): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write(`${what}, then Enter and Ctrl+D:\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}
