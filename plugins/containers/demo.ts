import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { errorMessage } from '../../kernel/errors.ts';
import type { DemoReport } from '../../kernel/contract/points/demo.ts';
import type { EngineMonitor } from './engine-monitor.ts';
import type { EngineClient } from './engine/engine-client.ts';
import type { EngineAnswers, EngineQuestions } from './engine/engine-questions.ts';
import { list, members, text } from './engine/untrusted-json.ts';

const IMAGE = 'hostkeep-demo';
const DEMO_LABEL = 'hostkeep.demo';
const PROGRAM = '/busybox';
const BUSYBOX_PATHS = ['/bin/busybox', '/usr/bin/busybox'];
/** One container serves a page without a network, the other sleeps. */
const COMMANDS = { web: [PROGRAM, 'httpd', '-f', '-p', '80'], worker: [PROGRAM, 'sleep', '86400'] };
/** Without network, privileges or writable files. */
const RESTRICTIONS = {
  AutoRemove: true,
  NetworkMode: 'none',
  Memory: 32 * 2 ** 20,
  PidsLimit: 16,
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
};
const TIMEOUT_MS = 10_000;
const POLL_MS = 50;

/** Starts the demo's containers if the engine answers, and registers their removal with `onClose`. */
export async function startDemoContainers(
  monitor: EngineMonitor,
  account: Account,
  onClose: (release: () => Promise<void>) => void,
): Promise<DemoReport> {
  const { ok, detail, remedy } = await monitor.finding();
  if (!ok) return { leftOut: [`containers: ${detail} (${remedy})`] };
  const { engine } = monitor;
  try {
    await removeAll(engine, account); // a demo that was killed may have left containers
    onClose(() => removeAll(engine, account));
    await startAll(engine, account);
    const count = Object.keys(COMMANDS).length;
    return {
      uses: [
        `containers: ${detail}; ${count} small containers of ${account.username}, see /api/docker_stats and /api/container/df`,
      ],
    };
  } catch (error) {
    return {
      leftOut: [
        `containers: ${detail}, but ${errorMessage(error)} (the demo's image is made from a static busybox: apt-get install busybox-static)`,
      ],
    };
  }
}

/** Starts small containers of the account from an image made of the host's busybox, so that nothing is pulled. */
const volumeOf = ({ username }: Account) => `${IMAGE}-${username}-data`;
const labelsOf = ({ username }: Account) => ({ 'hostkeep.account': username, [DEMO_LABEL]: 'true' });

async function startAll(engine: EngineClient, account: Account): Promise<void> {
  const program = await readFirst(BUSYBOX_PATHS).catch((cause: unknown) => {
    throw new Error('this host has no busybox', { cause });
  });
  await expectSuccess(
    engine,
    { method: 'POST', path: '/images/create', query: { fromSrc: '-', repo: IMAGE, tag: 'latest' } },
    tarFile(PROGRAM.slice(1), program),
  );
  await expectSuccess(engine, {
    method: 'POST',
    path: '/volumes/create',
    body: { Name: volumeOf(account), Labels: labelsOf(account) },
  });
  await Promise.all(Object.entries(COMMANDS).map(([service, command]) => startOne(engine, account, service, command)));
}

/** Removes the demo's containers, their volume and their image. */
async function removeAll(engine: EngineClient, account: Account): Promise<void> {
  const filters = JSON.stringify({ label: [`${DEMO_LABEL}=true`, `hostkeep.account=${account.username}`] });
  const found = await expectSuccess(engine, {
    method: 'GET',
    path: '/containers/json',
    query: { all: 'true', filters },
  });
  const ids = list(JSON.parse(found)).map((each) => text(members(each)['Id']));
  for (const id of ids)
    await request(engine, { method: 'DELETE', path: `/containers/${id}`, query: { force: 'true' } });
  await removeUnused(engine, `/volumes/${volumeOf(account)}`);
  await removeUnused(engine, `/images/${IMAGE}`);
}

/** The engine refuses with 409 while it is still removing a container that used the thing. */
async function removeUnused(engine: EngineClient, path: string): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await delay(POLL_MS)) {
    const { status } = await request(engine, { method: 'DELETE', path });
    if (status !== 409) return;
  }
}

async function startOne(
  engine: EngineClient,
  account: Account,
  service: string,
  Cmd: readonly string[],
): Promise<void> {
  const Labels = { ...labelsOf(account), 'com.docker.compose.service': service };
  const created = await expectSuccess(engine, {
    method: 'POST',
    path: '/containers/create',
    query: { name: `${IMAGE}-${account.username}-${service}` },
    body: { Image: IMAGE, Cmd, Labels, HostConfig: { ...RESTRICTIONS, Binds: [`${volumeOf(account)}:/data:ro`] } },
  });
  const { Id } = members(JSON.parse(created));
  await expectSuccess(engine, { method: 'POST', path: `/containers/${text(Id)}/start` });
}

/** Returns the body of the reply. Rejects for an error status, too. */
async function expectSuccess(
  engine: EngineClient,
  question: EngineQuestions['request'],
  file?: Buffer,
): Promise<string> {
  const { status, text } = await request(engine, question, file);
  if (status >= 300) throw new Error(`the engine answers ${question.path} with ${status}: ${text.slice(0, 200)}`);
  return text;
}

function request(
  engine: EngineClient,
  question: EngineQuestions['request'],
  bytes?: Buffer,
): Promise<EngineAnswers['request']> {
  return engine.ask('request', question, { timeoutMs: TIMEOUT_MS, ...(bytes !== undefined && { bytes }) });
}

async function readFirst(paths: readonly string[]): Promise<Buffer> {
  const [path = '', ...others] = paths;
  return others.length === 0 ? readFile(path) : readFile(path).catch(() => readFirst(others));
}

/** Returns a tar archive (ustar) of one program that everybody may run. */
export function tarFile(name: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(512);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const write = (at: number, field: string) => header.write(field, at, 'latin1');
  write(0, name);
  write(100, octal(0o755, 7));
  write(108, octal(0, 7)); // owner and group
  write(116, octal(0, 7));
  write(124, octal(bytes.length, 11));
  write(136, octal(0, 11));
  write(148, ' '.repeat(8)); // the checksum is computed with its own field as blanks
  write(156, '0');
  write(257, 'ustar\u000000');
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  write(148, `${octal(checksum, 6)} `);
  return Buffer.concat([header, bytes, Buffer.alloc(1024 + ((512 - (bytes.length % 512)) % 512))]);
}
