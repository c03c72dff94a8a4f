/** Starts servers in separate processes, so that the measured code shares no thread with the measuring code. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { checkConfig, readJson } from '../../kernel/config/configuration.ts';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { openCore, type Core } from '../../kernel/run/core.ts';
import { createLog } from '../../kernel/log.ts';

export interface Running {
  readonly url: string;
  readonly adminUrl: string;
  readonly child: ChildProcess;
  /** The message that the program sent when it was ready. */
  readonly message: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

const temporary: string[] = [];

/** Creates a temporary folder that is removed when the bench exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-bench-'));
  temporary.push(folder);
  return folder;
}
process.on('exit', () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

/** Starts the bare handler that sends `body` at `path` if the token matches. */
export async function startBare(
  path: string,
  token: string,
  body: string | Uint8Array,
  type = 'application/json',
): Promise<Running> {
  const file = join(temporaryFolder(), 'body');
  writeFileSync(file, body);
  return started(fork(join(import.meta.dirname, 'bare.js'), [path, token, file, type]));
}

/** Starts a Hostkeep on a data folder and free ports; `settings` override the defaults. */
export async function startHostkeep(data: string, settings: Record<string, unknown> = {}): Promise<Running> {
  return startBuild(join(import.meta.dirname, '../..'), benchSettings(data, settings));
}

/** The Hostkeep of a build, which is a folder `dist`. */
export async function startBuild(build: string, settings: Record<string, unknown>): Promise<Running> {
  return startProgram(join(build, 'bench/support/serve.js'), [JSON.stringify(settings)]);
}

/** Starts a program that sends `{ port }` once it listens. */
export async function startProgram(file: string, args: readonly string[]): Promise<Running> {
  return started(fork(file, [...args]));
}

export function benchSettings(data: string, settings: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...readJson(join(projectDir, 'config/hostkeep.json')),
    listen: '127.0.0.1:0',
    admin_listen: '127.0.0.1:0',
    log: { level: 'error' },
    data,
    files_root: '{data}/files/{username}',
    ...settings,
  };
}

/** Opens the store of a data folder, to fill it before a Hostkeep serves it, or to issue tokens meanwhile. */
export function coreOf(data: string, settings: Record<string, unknown> = {}): Promise<Core> {
  const config = checkConfig(benchSettings(data, settings), () => 'bench');
  return openCore(config, createLog(config.log.level));
}

/** Opens a session without the cost of a login and returns its token. */
export async function tokenFor(core: Core, account: Account): Promise<string> {
  return (await core.sessions.open(account, '127.0.0.1', 'bench', async () => {})).token;
}

/** Describes the machine and date of a measurement. */
export function machineText(): string {
  return `${cpus().length} cores (${cpus()[0]?.model.trim() ?? '?'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
}

async function started(child: ChildProcess): Promise<Running> {
  const ports = await new Promise<{ port: number; adminPort?: number; [name: string]: unknown }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { port: number }));
    child.once('exit', (code) => reject(new Error(`a server of the bench ended with code ${code}`)));
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGTERM');
    });
  return {
    url: `http://127.0.0.1:${ports.port}`,
    adminUrl: `http://127.0.0.1:${ports.adminPort ?? 0}`,
    child,
    message: ports,
    stop,
  };
}
