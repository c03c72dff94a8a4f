import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../../kernel/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { storeOf } from '../../support/hostkeep.ts';
import { hasNginx, Nginx } from '../../support/nginx.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import type { Random } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { WebhookSink } from '../../support/webhook-sink.ts';
import { WriteWorkload } from './write-workload.ts';

const ACCOUNTS = ['anna', 'bela', 'cara', 'dora', 'elsa', 'fina'];
/** The node is killed after at most this many acknowledged writes. */
const MAX_WRITES = 60;
/** Everything that a data folder may contain. */
const KNOWN =
  /^((?:hostkeep|node)\.db(-wal|-shm)?|keys\.json|revision|serving\.(?:lock|pid)|files|jobs|search|screenshots|search-index|ids|sftp|php)$/;

export interface KillFigures {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lines: readonly string[];
}

/** Kills the node repeatedly while several accounts write. Rejects if an acknowledged write is missing. */
export async function killDuringWrites(rounds: number, random: Random): Promise<KillFigures> {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const [sink, nginx] = await Promise.all([WebhookSink.open(), hasNginx() ? Nginx.start() : undefined]);
  const config = {
    webhooks: sink.settings,
    login: {
      account_failures: { minute: 10_000, hour: 10_000, day: 10_000 },
      address_failures: { minute: 10_000, hour: 10_000, day: 10_000 },
    },
    ...(nginx && { webserver: nginx.settings }),
  };
  try {
    await prepare(data, { ...Object.fromEntries(ACCOUNTS.map((name) => [name, 'user' as const])), root: 'admin' });
    const workloads = ACCOUNTS.map((name) => new WriteWorkload(name, random.fork()));
    let node = await NodeProcess.start(data, { config });
    const admin = await node.login('root', undefined, 'admin');
    for (const workload of workloads) await workload.begin(node, admin);
    for (let round = 0; round < rounds; round += 1) {
      await writeUntilKilled(node, workloads, random);
      node = await NodeProcess.start(data, { config });
      await Promise.all(workloads.map((workload) => workload.compare(node)));
      await assertIntact(data);
    }
    await compareOutside(node, data, workloads, sink, nginx);
    if ((await node.end()) !== 0) throw new Error('the node did not stop cleanly');
    assertNothingLeft(data);
    return {
      kills: rounds,
      acknowledged: workloads.reduce((sum, { count }) => sum + count, 0),
      lines: [`kill -9: ${rounds} times; acknowledged, none lost: ${kinds(workloads)}`],
    };
  } finally {
    sink.close();
    await nginx?.remove();
  }
}

async function writeUntilKilled(node: NodeProcess, workloads: readonly WriteWorkload[], random: Random): Promise<void> {
  let left = Math.ceil(random.next() * MAX_WRITES);
  const writing = workloads.map((workload) =>
    workload.write(node, () => {
      left -= 1;
      if (left === 0) node.child.kill('SIGKILL');
    }),
  );
  try {
    await Promise.all(writing);
  } finally {
    await node.end('SIGKILL');
  }
}

/** Rejects if the file of a store is damaged: no client can damage a server of PostgreSQL. */
async function assertFileIntact(store: Store): Promise<void> {
  const { integrity_check: verdict } = (await store.get<{ integrity_check: string }>('pragma integrity_check')) ?? {
    integrity_check: 'no result',
  };
  if (verdict !== 'ok') throw new Error(`the store is damaged: ${verdict}`);
  const broken = await store.all('pragma foreign_key_check');
  if (broken.length > 0) throw new Error(`dangling references: ${JSON.stringify(broken)}`);
}

async function assertIntact(data: string): Promise<void> {
  const store = await storeOf(data);
  try {
    if (existsSync(store.place)) await assertFileIntact(store);
    const half = await store.all("select name from domains where state <> 'active'");
    if (half.length > 0) throw new Error(`incomplete domains: ${JSON.stringify(half)}`);
  } finally {
    await store.close();
  }
}

/** Rejects unless folders, virtual hosts, search index and delivered webhooks agree with the acknowledged writes. */
async function compareOutside(
  node: NodeProcess,
  data: string,
  workloads: readonly WriteWorkload[],
  sink: WebhookSink,
  nginx: Nginx | undefined,
): Promise<void> {
  const domains = workloads.flatMap(({ name, state }) => state.domains.map((domain) => ({ name, domain })));
  for (const { name, domain } of domains)
    if (!existsSync(join(data, 'files', name, domain))) throw new Error(`the folder of ${domain} is missing`);
  if (nginx !== undefined) {
    const wanted = domains
      .map(({ domain }) => `hostkeep-${domain}.conf`)
      .toSorted()
      .join();
    await until(
      'the virtual hosts match the domains',
      () =>
        readdirSync(nginx.vhostFolder)
          .filter((name) => /^hostkeep-.*\.example\.conf$/.test(name))
          .toSorted()
          .join() === wanted,
    );
  }
  const store = await storeOf(data);
  try {
    const events = await store.all<{ id: number }>(
      "select id from events where type like 'domain.%' or type in ('password.changed', 'account.changed', 'feature.toggled')",
    );
    await until('every event is delivered', () => events.every(({ id }) => sink.events.has(String(id))));
  } finally {
    await store.close();
  }
  for (const { name, state } of workloads) {
    const token = await node.login(name, state.password, 'user').catch(() => undefined);
    const [domain] = state.domains;
    if (token === undefined || domain === undefined) continue; // a second factor is on
    const { body } = await node.ask<{ name: string }[]>(`/api/search/folders?q=${domain}`, { token });
    if (!body.some((hit) => hit.name === domain)) throw new Error(`the search does not find the folder of ${domain}`);
  }
}

function assertNothingLeft(data: string): void {
  const strays = readdirSync(data).filter((name) => !KNOWN.test(name));
  if (strays.length > 0) throw new Error(`unexpected files in the data folder: ${strays.join()}`);
}

function kinds(workloads: readonly WriteWorkload[]): string {
  const sums = new Map<string, number>();
  for (const workload of workloads)
    for (const [kind, n] of workload.acknowledged) sums.set(kind, (sums.get(kind) ?? 0) + n);
  return [...sums]
    .toSorted()
    .map(([kind, n]) => `${n} ${kind}`)
    .join(', ');
}

/** Kills first starts at random moments. Rejects unless the next start creates everything that is missing. */
export async function killFirstStarts(count: number, random: Random): Promise<KillFigures> {
  const folder = temporaryFolder();
  for (let i = 0; i < count; i += 1) {
    const data = join(folder, `first-${i}`);
    mkdirSync(data, { mode: 0o700 });
    const first = NodeProcess.spawn(data);
    await Promise.race([first.ended(), new Promise((resolve) => setTimeout(resolve, random.next() * 600))]);
    await first.end('SIGKILL');
    const second = await NodeProcess.start(data);
    await assertIntact(data);
    if ((await second.end()) !== 0) throw new Error('a node whose first start was killed did not stop cleanly');
    assertNothingLeft(data);
  }
  return {
    kills: count,
    acknowledged: 0,
    lines: [`first starts killed: ${count}; each data folder complete after the second`],
  };
}
