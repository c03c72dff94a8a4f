/**
 * A broker as root, for a service that runs as nobody.
 *
 */
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Launcher } from '../../kernel/kit/jobs/launcher.ts';
import { importDefault, pluginsWith } from '../../kernel/kit/files/plugin-files.ts';
import { CLI, start } from './command.ts';
import { temporaryFolder } from './folder.ts';

export const NOBODY = 65_534;
export const FIRST_ID = 300_000;

export interface TestBroker {
  /** Holds all its files; readable by everybody. */
  readonly folder: string;
  readonly socket: string;
  /** Settings for a service that uses it. */
  readonly settings: Readonly<Record<string, unknown>>;
  output(): string;
  /** Kills it, as the system might, and resolves when it has ended. */
  kill(): Promise<void>;
  /** Replaces its settings, and sends it SIGHUP if `signal`. */
  change(settings: Readonly<Record<string, unknown>>, options?: { readonly signal: boolean }): void;
  /** Starts it again. */
  up(): Promise<void>;
}

/** Returns what the service calls a broker with. */
export async function launcherAt(socket: string): Promise<Launcher> {
  for (const plugin of pluginsWith('launcher')) {
    const open = await importDefault<(path: string) => Launcher>(plugin, 'launcher');
    if (open !== undefined) return open(socket);
  }
  throw new Error('no plugin has a launcher');
}

/** Starts a broker with further settings. Its configuration, like that of the service, is in `folder`. */
export async function startBroker(over: Readonly<Record<string, unknown>> = {}, cli = CLI): Promise<TestBroker> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const [data, socket] = [join(folder, 'data'), join(folder, 'broker.sock')];
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, NOBODY, NOBODY);
  mkdirSync(join(folder, 'files'), { mode: 0o755 });
  mkdirSync(join(folder, 'etc'), { mode: 0o755 });
  const settings = {
    files_root: join(folder, 'files/{username}'),
    ids: { first: FIRST_ID },
    broker: { socket, state: join(folder, 'state') },
    ...over,
  };
  const file = join(folder, 'etc/hostkeep.json');
  writeFileSync(file, JSON.stringify(settings), { mode: 0o644 });
  const args = ['--config', file, 'broker'];
  const started = () => start(data, args, /"msg":"listening"/, { HOSTKEEP_FILES_ROOT: '' }, cli);
  let running: Awaited<ReturnType<typeof started>> | undefined;
  const up = async () => {
    running = await started();
    chownSync(socket, NOBODY, NOBODY); // as systemd does, by SocketUser
  };
  const kill = async () => {
    const child = running?.child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  const change: TestBroker['change'] = (next, { signal } = { signal: false }) => {
    writeFileSync(file, JSON.stringify(next));
    if (signal) running?.child.kill('SIGHUP');
  };
  await up();
  return { folder, socket, settings, output: () => running?.output() ?? '', kill, up, change };
}
