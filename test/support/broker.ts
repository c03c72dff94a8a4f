/**
 * A broker as root, for a service that runs as nobody.
 *
 * @slow starts a broker
 */
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { start } from './command.ts';
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
  /** Starts it again. */
  up(): Promise<void>;
}

/** Starts a broker with further settings. Its configuration, like that of the service, is in `folder`. */
export async function startBroker(over: Readonly<Record<string, unknown>> = {}): Promise<TestBroker> {
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
  const started = () => start(data, ['--config', file, 'broker'], /"msg":"listening"/, { HOSTKEEP_FILES_ROOT: '' });
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
  await up();
  process.once('exit', () => running?.child.kill('SIGKILL'));
  return { folder, socket, settings, output: () => running?.output() ?? '', kill, up };
}
