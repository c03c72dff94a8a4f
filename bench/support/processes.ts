/** Servers in processes of their own, so that what is measured does not share a thread with what measures. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../kernel/identity/accounts.ts';
import { checkConfig, readJson } from '../../kernel/config/configuration.ts';
import { projectDir } from '../../kernel/system/project-dir.ts';
import { openCore, type Core } from '../../kernel/core.ts';
import { createLog } from '../../kernel/log.ts';

export interface Running {
  readonly url: string;
  readonly adminUrl: string;
  readonly child: ChildProcess;
  /** All that the program said when it was ready. */
  readonly message: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

const temporary: string[] = [];

/** A temporary folder that is removed when the bench ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-bench-'));
  temporary.push(folder);
  return folder;
}
process.on('exit', () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

/** The bare handler that answers `path` with `body` behind `token`. */
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

/** A Hostkeep that serves a data folder, on free ports, with settings over the defaults. */
export async function startHostkeep(data: string, settings: Record<string, unknown> = {}): Promise<Running> {
  return startBuild(join(import.meta.dirname, '../..'), benchSettings(data, settings));
}

/** The Hostkeep of a build, which is a folder `dist`. */
export async function startBuild(build: string, settings: Record<string, unknown>): Promise<Running> {
  return startProgram(join(build, 'bench/support/serve.js'), [JSON.stringify(settings)]);
}

/** A program of the bench that sends `{ port }` once it listens. */
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
    ...settings,
  };
}

/** The store of a data folder, to fill it before, or to issue tokens while, a Hostkeep serves it. */
export function coreOf(data: string): Promise<Core> {
  return openCore(
    checkConfig(benchSettings(data), () => 'bench'),
    createLog('error'),
  );
}

/** A token without the cost of a login. */
export async function tokenFor(core: Core, account: Account): Promise<string> {
  return (await core.sessions.open(account, '127.0.0.1', 'bench', async () => {})).token;
}

/** What every figure stands under. */
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
