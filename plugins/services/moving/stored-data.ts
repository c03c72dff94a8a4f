import { setTimeout as delay } from 'node:timers/promises';
import { assertFits } from '../../../kernel/areas/moves/arriving-files.ts';
import { MovedTree, openMovePool } from '../../../kernel/areas/moves/moved-tree.ts';
import type { Extent } from '../../../kernel/areas/moves/tree-job.ts';
import type { Host } from '../../../kernel/contract/plugin.ts';
import type { Arrival, MovedAccount, MoveLink } from '../../../kernel/contract/points/move-part.ts';
import { fail as refuse } from '../../../kernel/errors.ts';
import { operatorsRoot } from '../../../kernel/kit/files/files-root.ts';
import { formatSize } from '../../../kernel/kit/format.ts';
import { readText } from '../../../kernel/kit/verb-arguments.ts';
import { fail } from '../errors.ts';
import type { ServiceVerbs } from '../programs/service-verbs.ts';
import { SERVICE } from '../recipes.ts';
import { listServices } from '../store.ts';

/** The state of jobs; those of the account's files have another one. */
const STATE = 'stored';
/** Times of files come from a clock that ticks every few milliseconds. */
const CLOCK_MS = 100;
const REQUESTS = ['room', 'stored', 'digest'];
const COUNT = /^\d{1,15}$/;

/** Sends and takes what services of an account have stored when it moves: as the account itself, like its files. */
export class StoredData {
  readonly #host: Pick<Host, 'store' | 'jobs'>;
  readonly #verbs: ServiceVerbs;
  readonly #titleOf: (service: string) => string;

  constructor(host: Pick<Host, 'store' | 'jobs'>, verbs: ServiceVerbs, titleOf: (service: string) => string) {
    this.#host = host;
    this.#verbs = verbs;
    this.#titleOf = titleOf;
  }

  /** Makes sure that there is room for all at the new home. */
  async announce(account: MovedAccount, link: MoveLink): Promise<void> {
    await this.#each(account, link.signal, async (tree, service) => {
      const extent = await tree.measure();
      await link.ask({ name: 'room', about: announced(service, extent) }, '');
      link.say(`what ${this.#titleOf(service)} has stored goes along, ${formatSize(extent.bytes)}`);
    });
  }

  /** Copies all; the services have ended. Resolves with when that was, in milliseconds since 1970. Errors: 409 `move_refused`. */
  async send(account: MovedAccount, link: MoveLink): Promise<number> {
    const endedAt = Date.now();
    await delay(CLOCK_MS, undefined, { signal: link.signal }); // what is written from now on has a later time
    await this.#each(account, link.signal, async (tree, service) => {
      const about = announced(service, await tree.measure());
      await link.ask({ name: 'stored', about }, tree.packed(true));
      const [here, there] = await Promise.all([tree.digest(), link.ask({ name: 'digest', about }, '')]);
      if (here !== there)
        throw fail.move_refused(
          `what ${this.#titleOf(service)} has stored differs at the two nodes: ${tree.complaint || 'tar says not why'}`,
        );
    });
    return endedAt;
  }

  /** Rejects if something has changed since a moment, in milliseconds since 1970. */
  async assertUnchanged(account: MovedAccount, signal: AbortSignal, since: number): Promise<void> {
    await this.#each(account, signal, async (tree, service) => {
      const changed = await tree.changedSince(since);
      if (changed.length > 0)
        throw fail.move_refused(`what ${this.#titleOf(service)} has stored changes: ${changed.join(', ')}`);
    });
  }

  /** Answers the old home, which may be in foreign hands. */
  async arrive({ account, name, about = '', body, signal }: Arrival): Promise<string | null> {
    if (!REQUESTS.includes(name)) throw refuse.not_found('there is no such request between nodes');
    const { service, ...extent } = readAnnounced(about);
    if (!(await listServices(this.#host.store, account.id)).has(service))
      throw fail.move_refused(`${service} is not switched on`);
    return this.#with(account, service, signal, async (tree) => {
      if (name === 'digest') return tree.digest();
      assertFits(extent, await tree.room({ makesRoot: true }));
      if (name === 'stored') await tree.unpack(body as AsyncIterable<Buffer>);
      return null;
    });
  }

  /** Calls `work` for each service that has stored something; not for those that are off, whose data is about to go. */
  async #each(
    account: MovedAccount,
    signal: AbortSignal,
    work: (tree: MovedTree, service: string) => Promise<void>,
  ): Promise<void> {
    const on = await listServices(this.#host.store, account.id);
    for (const { accountId, service } of await this.#verbs.stored())
      if (accountId === account.id && on.has(service))
        await this.#with(account, service, signal, (tree) => work(tree, service));
  }

  async #with<T>(
    account: MovedAccount,
    service: string,
    signal: AbortSignal,
    work: (tree: MovedTree) => Promise<T>,
  ): Promise<T> {
    const { jobs } = this.#host;
    const root = operatorsRoot(await this.#verbs.folder({ accountId: account.id, name: service }));
    const owner = { ...jobs.ownerOf(account, { state: STATE }), root, folder: { plugin: 'services', name: service } };
    const pool = openMovePool(jobs);
    try {
      return await work(new MovedTree(pool, owner, signal, true));
    } finally {
      await pool.close();
    }
  }
}

const announced = (service: string, { bytes, inodes }: Extent): string => [service, bytes, inodes].join(' ');

function readAnnounced(text: string) {
  const [service, bytes, inodes] = text.split(' ');
  return {
    service: readText(service, SERVICE),
    bytes: Number(readText(bytes, COUNT)),
    inodes: Number(readText(inodes, COUNT)),
  };
}
