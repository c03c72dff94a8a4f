import { readFile } from 'node:fs/promises';
import type { Account } from '../../kernel/identity/accounts.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { DemoReport } from '../../kernel/plugin-api/points/demo.ts';
import type { EngineMonitor } from './engine-monitor.ts';
import type { Engine } from './engine/engine-client.ts';
import { list, members, text } from './engine/untrusted-json.ts';

const IMAGE = 'hostkeep-demo';
const MARK = 'hostkeep.demo';
const PROGRAM = '/busybox';
const PLACES = ['/bin/busybox', '/usr/bin/busybox'];
/** What the two containers do: serve a page that nobody can reach, and nothing. */
const COMMANDS = { web: [PROGRAM, 'httpd', '-f', '-p', '80'], worker: [PROGRAM, 'sleep', '86400'] };
/** They reach nothing and may do nothing. */
const HARMLESS = {
  AutoRemove: true,
  NetworkMode: 'none',
  Memory: 32 * 2 ** 20,
  PidsLimit: 16,
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
};
const TIMEOUT_MS = 10_000;

/** Starts the demo's containers where the engine answers; they are removed when `onClose` is called. */
export async function showDemo(
  room: EngineMonitor,
  account: Account,
  onClose: (release: () => Promise<void>) => void,
): Promise<DemoReport> {
  const { ok, detail, remedy } = await room.find();
  if (!ok) return { leftOut: [`containers: ${detail} (${remedy})`] };
  const { engine } = room;
  try {
    await endDemo(engine, account); // what a demo left that was killed
    onClose(() => endDemo(engine, account));
    await startDemo(engine, account);
    return {
      uses: [
        `containers: ${detail}; ${Object.keys(COMMANDS).length} small ones of ${account.username}, see /api/docker_stats and /api/container/df`,
      ],
    };
  } catch (error) {
    return {
      leftOut: [
        `containers: ${detail}, but ${messageOf(error)} (they are made of a static busybox: apt-get install busybox-static)`,
      ],
    };
  }
}

/** Starts small containers of the account, from an image made of the host's own busybox, so that nothing is pulled. */
async function startDemo(engine: Engine, account: Account): Promise<void> {
  const program = await firstOf(PLACES).catch((cause: unknown) => {
    throw new Error('there is no busybox on this host', { cause });
  });
  await must(engine, '/images/create', {
    method: 'POST',
    query: { fromSrc: '-', repo: IMAGE, tag: 'latest' },
    file: tarOf(PROGRAM.slice(1), program),
  });
  await Promise.all(Object.entries(COMMANDS).map(([service, command]) => startOne(engine, account, service, command)));
}

/** Removes the containers of the demo and their image. */
async function endDemo(engine: Engine, { username }: Account): Promise<void> {
  const filters = JSON.stringify({ label: [`${MARK}=true`, `hostkeep.account=${username}`] });
  const found = await must(engine, '/containers/json', { query: { all: 'true', filters } });
  const ids = list(JSON.parse(found)).map((each) => text(members(each)['Id']));
  for (const id of ids)
    await engine.ask(`/containers/${id}`, { method: 'DELETE', query: { force: 'true' }, timeoutMs: TIMEOUT_MS });
  await engine.ask(`/images/${IMAGE}`, { method: 'DELETE', timeoutMs: TIMEOUT_MS });
}

async function startOne(engine: Engine, { username }: Account, service: string, Cmd: readonly string[]): Promise<void> {
  const Labels = { 'hostkeep.account': username, 'com.docker.compose.service': service, [MARK]: 'true' };
  const made = await must(engine, '/containers/create', {
    method: 'POST',
    query: { name: `${IMAGE}-${username}-${service}` },
    body: { Image: IMAGE, Cmd, Labels, HostConfig: HARMLESS },
  });
  await must(engine, `/containers/${text(members(JSON.parse(made))['Id'])}/start`, { method: 'POST' });
}

/** The text of an answer of success. */
async function must(engine: Engine, path: string, question: Parameters<Engine['ask']>[1]): Promise<string> {
  const { status, text } = await engine.ask(path, { timeoutMs: TIMEOUT_MS, ...question });
  if (status >= 300) throw new Error(`the engine answers ${path} with ${status}: ${text.slice(0, 200)}`);
  return text;
}

async function firstOf(paths: readonly string[]): Promise<Buffer> {
  const [path = '', ...others] = paths;
  return others.length === 0 ? readFile(path) : readFile(path).catch(() => firstOf(others));
}

/** An archive (ustar) of one program that everybody may run. */
export function tarOf(name: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const write = (at: number, field: string) => header.write(field, at, 'latin1');
  write(0, name);
  write(100, octal(0o755, 7));
  write(108, octal(0, 7)); // owner and group
  write(116, octal(0, 7));
  write(124, octal(bytes.length, 11));
  write(136, octal(0, 11));
  write(148, ' '.repeat(8)); // the checksum counts itself as blanks
  write(156, '0');
  write(257, 'ustar\u000000');
  write(
    148,
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
  );
  return Buffer.concat([header, bytes, Buffer.alloc(1024 + ((512 - (bytes.length % 512)) % 512))]);
}
