import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Store } from '../../../kernel/storage/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { hasNginx, Nginx } from '../../support/nginx.ts';
import { NodeProcess, prepare } from '../../support/node-process.ts';
import { WebhookSink } from '../../support/webhook-sink.ts';
import { Actor } from './write-workload.ts';

const ACTORS = ['anna', 'bela', 'cara', 'dora', 'elsa', 'fina'];
/** Acknowledged writes of a round after which the node is killed, at most. */
const WRITES_AT_MOST = 60;
/** What a data folder holds besides the store's own files. */
const KNOWN = /^(hostkeep\.db(-wal|-shm)?|keys\.json|revision|files|search|screenshots|search-index)$/;

export interface KillFigures {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lines: readonly string[];
}

/** Accounts that write all they can, over HTTP, while the node is killed again and again: what it acknowledged is there. */
export async function killInWrites(rounds: number): Promise<KillFigures> {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const [sink, nginx] = await Promise.all([WebhookSink.open(), hasNginx() ? Nginx.start() : undefined]);
  const config = {
    webhooks: sink.settings,
    account: {
      account_failures: { minute: 10_000, hour: 10_000, day: 10_000 },
      address_failures: { minute: 10_000, hour: 10_000, day: 10_000 },
    },
    ...(nginx && { webserver: nginx.settings }),
  };
  try {
    await prepare(data, { ...Object.fromEntries(ACTORS.map((name) => [name, 'user' as const])), root: 'admin' });
    const actors = ACTORS.map((name) => new Actor(name));
    let node = await NodeProcess.start(data, { config });
    const admin = await node.login('root', undefined, 'admin');
    for (const actor of actors) await actor.begin(node, admin);
    for (let round = 0; round < rounds; round += 1) {
      await writeUntilKilled(node, actors);
      node = await NodeProcess.start(data, { config });
      await Promise.all(actors.map((actor) => actor.compare(node)));
      await assertWhole(data);
    }
    await compareOutside(node, data, actors, sink, nginx);
    if ((await node.end()) !== 0) throw new Error('the node did not stop cleanly');
    assertNothingLeft(data);
    return {
      kills: rounds,
      acknowledged: actors.reduce((sum, { count }) => sum + count, 0),
      lines: [`kill -9: ${rounds} times; acknowledged and not lost: ${kinds(actors)}`],
    };
  } finally {
    sink.close();
    await nginx?.remove();
  }
}

async function writeUntilKilled(node: NodeProcess, actors: readonly Actor[]): Promise<void> {
  let left = Math.ceil(Math.random() * WRITES_AT_MOST);
  const writing = actors.map((actor) =>
    actor.write(node, () => {
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

async function assertWhole(data: string): Promise<void> {
  const store = await Store.open(join(data, 'hostkeep.db'));
  try {
    const { integrity_check: verdict } = (await store.get<{ integrity_check: string }>('pragma integrity_check')) ?? {
      integrity_check: 'nothing',
    };
    if (verdict !== 'ok') throw new Error(`the store is damaged: ${verdict}`);
    const broken = await store.all('pragma foreign_key_check');
    if (broken.length > 0) throw new Error(`rows refer to nothing: ${JSON.stringify(broken)}`);
    const half = await store.all("select name from domains where state <> 'active'");
    if (half.length > 0) throw new Error(`domains are half made: ${JSON.stringify(half)}`);
  } finally {
    await store.close();
  }
}

/** Folders, virtual hosts, the search index, the log and who listens to it agree with what was acknowledged. */
async function compareOutside(
  node: NodeProcess,
  data: string,
  actors: readonly Actor[],
  sink: WebhookSink,
  nginx: Nginx | undefined,
): Promise<void> {
  const domains = actors.flatMap(({ name, state }) => state.domains.map((domain) => ({ name, domain })));
  for (const { name, domain } of domains)
    if (!existsSync(join(data, 'files', name, domain))) throw new Error(`the folder of ${domain} is not there`);
  if (nginx !== undefined) {
    const wanted = domains
      .map(({ domain }) => `hostkeep-${domain}.conf`)
      .toSorted()
      .join();
    await until(
      'the virtual hosts are those of the domains',
      () =>
        readdirSync(nginx.vhostFolder)
          .filter((name) => /^hostkeep-.*\.example\.conf$/.test(name))
          .toSorted()
          .join() === wanted,
    );
  }
  const store = await Store.open(join(data, 'hostkeep.db'));
  try {
    const events = await store.all<{ id: number }>(
      "select id from events where type like 'domain.%' or type in ('password.changed', 'account.changed', 'feature.toggled')",
    );
    await until('every event was delivered', () => events.every(({ id }) => sink.events.has(String(id))));
  } finally {
    await store.close();
  }
  for (const { name, state } of actors) {
    const token = await node.login(name, state.password, 'user').catch(() => undefined);
    const [domain] = state.domains;
    if (token === undefined || domain === undefined) continue; // a second factor is on
    const { body } = await node.ask<{ name: string }[]>(`/api/search/folders?q=${domain}`, { token });
    if (!body.some((hit) => hit.name === domain)) throw new Error(`the folder of ${domain} is not found`);
  }
}

function assertNothingLeft(data: string): void {
  const strays = readdirSync(data).filter((name) => !KNOWN.test(name));
  if (strays.length > 0) throw new Error(`left in the data folder: ${strays.join()}`);
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries > 600) throw new Error(`it did not come to be that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function kinds(actors: readonly Actor[]): string {
  const sums = new Map<string, number>();
  for (const actor of actors) for (const [kind, n] of actor.acknowledged) sums.set(kind, (sums.get(kind) ?? 0) + n);
  return [...sums]
    .toSorted()
    .map(([kind, n]) => `${n} ${kind}`)
    .join(', ');
}

/** A first start that is killed at any moment does no harm: the next one makes what is missing. */
export async function killFirstStarts(count: number): Promise<KillFigures> {
  const folder = temporaryFolder();
  for (let i = 0; i < count; i += 1) {
    const data = join(folder, `first-${i}`);
    mkdirSync(data);
    const first = NodeProcess.spawn(data);
    await Promise.race([first.ended(), new Promise((resolve) => setTimeout(resolve, Math.random() * 600))]);
    await first.end('SIGKILL');
    const second = await NodeProcess.start(data);
    await assertWhole(data);
    if ((await second.end()) !== 0) throw new Error('a node whose first start was killed did not stop cleanly');
    assertNothingLeft(data);
  }
  return { kills: count, acknowledged: 0, lines: [`first starts killed: ${count}, each whole at the second`] };
}
