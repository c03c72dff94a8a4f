import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../../../kernel/errors.ts';
import { filesOwner, type PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import { askPool } from '../../../kernel/kit/programs/fpm/fastcgi.ts';
import { countWorkers } from '../../../kernel/kit/programs/fpm/seen-pool.ts';
import { LATE_MS, SleepingPool } from '../../../kernel/kit/programs/fpm/sleeping-pool.ts';
import { WaitingRequests, type WatchedPool } from '../../../kernel/kit/programs/fpm/waiting-requests.ts';
import {
  killMaster,
  masterPid,
  ProgramFolder,
  programKey,
  type Master,
  type NamedProgram,
} from '../../../kernel/kit/programs/program-folder.ts';
import { canBeAlone, ownProcessId } from '../../../kernel/kit/programs/start-program.ts';
import { isRunning } from '../../../kernel/kit/programs/process-id.ts';
import { readAccount, readBoolean, readInteger, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { FairQueue } from '../../../kernel/kit/waiting/fair-queue.ts';
import { atMost, LRUCache } from '../../../kernel/kit/waiting/bounded-cache.ts';
import { fail } from '../errors.ts';
import { BROKERS, type PhpConfig } from '../schema.ts';
import { INFO_SCRIPT, OWN_FOLDER } from './pool-config.ts';
import { PoolMeter } from './pool-meter.ts';
import type { FailedPool, PhpVerbs, PoolsNow } from './php-verbs.ts';
import { POOL_NAME, poolName, readPool, VERSION, type Pool } from './pool.ts';
import { startPool, type OwnedPool } from './start-pool.ts';

/** A pool that this process has started. */
interface OwnPool extends OwnedPool {
  /** When it was last seen at work, on the monotonic clock. */
  usedAt: number;
  /** Its master, and the path at which this began to listen; `undefined` without one. */
  at?: { readonly bound: string; readonly master: Master } | undefined;
  asleep?: SleepingPool | undefined;
}

type Self = Pick<OwnedPool['owner'], 'uid' | 'webGid'>;

const MOST_FAILURES = 1000;
const INFO = { timeoutMs: 10_000, mostBytes: 2 ** 19 } as const;
/** No account has this number. */
const NOBODY = { id: 0, uid: 65_534, name: 'nobody' } as const;
const PROOF: Omit<Pool, 'version'> = {
  ...{ workers: 1, memoryMib: 16, uploadMib: 1, seconds: 5, showsErrors: false, timezone: 'UTC', ini: [] },
};

/** Starts and ends masters of PHP-FPM: one for each pool, so that a pool never changes, and none waits for another. */
export class PhpPools implements PhpVerbs {
  readonly #host: PrivilegedHost<PhpConfig>;
  readonly #self: Self | undefined;
  readonly #folder: ProgramFolder;
  readonly #meter: PoolMeter;
  readonly #own = new Map<string, OwnPool>();
  readonly #waiting: WaitingRequests;
  readonly #failures = new LRUCache<string, FailedPool>(atMost(MOST_FAILURES));
  /** Changes of a pool, one after another. */
  readonly #changes = new FairQueue({ slots: 1000, perClient: 1 });

  /** `self`: the user of this process, who need not be root, if all scripts are to run as him. */
  constructor(host: PrivilegedHost<PhpConfig>, self?: Self) {
    this.#host = host;
    this.#self = self;
    host.signal.addEventListener('abort', () => [...this.#own.values()].map(({ asleep }) => asleep?.close()));
    this.#folder = new ProgramFolder(host.config.run_folder || BROKERS, POOL_NAME, host.signal);
    this.#waiting = new WaitingRequests(
      () => [...this.#own.values()].flatMap((own) => this.#watched(own)),
      host.signal,
    );
    const touched = (named: NamedProgram) => this.#waiting.touched(this.#own.get(programKey(named))?.at?.bound ?? '');
    this.#meter = new PoolMeter(this.#folder, touched);
  }

  async start(request: unknown): Promise<string> {
    const given = readMembers(request, ['account', 'pool', 'rests']);
    const [account, pool, rests] = [readAccount(given.account), readPool(given.pool), readBoolean(given.rests)];
    const name = poolName(pool, this.#host.config.disabled_functions);
    const named = { accountId: account.id, name };
    await this.#noting(named, () => this.#begin(named, account, pool, rests));
    return name;
  }

  async #begin(named: NamedProgram, account: Identified, pool: Pool, rests: boolean): Promise<void> {
    const [key, { name }] = [programKey(named), named];
    const webGid = this.#host.userOf(account)?.webGid ?? null;
    if (webGid === null)
      throw fail.php_failed('accounts need user ids, and the web server a group: set ids.first and ids.web_group');
    const owner = await filesOwner(this.#host, account, fail.php_failed);
    await this.#changes.run(key, async () => {
      const master = await this.#folder.master(account.id, name);
      if (master?.isEnding === false || (await this.#folder.isAsleep(account.id, name))) return;
      if (master !== undefined) await killMaster(master);
      const own: OwnPool = { ...named, pool, owner: { ...owner, webGid }, usedAt: performance.now() };
      const socket = await startPool(this.#host, this.#folder, own);
      this.#own.set(key, own);
      if (!rests || this.#idleMs === 0) return this.#publish(own, socket);
      await this.#sleep(own); // and nobody has found the master yet
      await this.#quit(own);
    });
  }

  async stop(pool: unknown): Promise<null> {
    const { accountId, name } = readNamed(pool);
    await this.#changes.run(programKey({ accountId, name }), async () => {
      const master = await this.#folder.master(accountId, name);
      if (master === undefined || (await this.#folder.isAsleep(accountId, name)))
        await this.#folder.clear(accountId, name);
      this.#forget({ accountId, name });
      await this.#quit({ accountId, name });
    });
    return null;
  }

  async rest(): Promise<null> {
    if (this.#idleMs === 0) return null;
    for (const own of this.#own.values()) {
      if (own.asleep !== undefined) continue;
      const { accountId, name } = own;
      const master = await this.#folder.master(accountId, name);
      if (master?.isEnding !== false) this.#own.delete(programKey(own));
      else if (isAtWork(master)) own.usedAt = performance.now();
      else if (performance.now() - own.usedAt >= this.#idleMs)
        await this.#changes.run(programKey(own), async () => {
          if (this.#own.get(programKey(own)) === own) await this.#relieve(own, master);
        });
    }
    return null;
  }

  async restart(pool: unknown): Promise<boolean> {
    const named = readNamed(pool);
    return this.#changes.run(programKey(named), async () => {
      const own = this.#own.get(programKey(named));
      const master = await this.#folder.master(named.accountId, named.name);
      return own !== undefined && master?.isEnding === false && (await this.#relieve(own, master));
    });
  }

  async end(given: unknown): Promise<number> {
    const accountId = readId(given);
    const own = [...this.#own.values()].filter((each) => each.accountId === accountId);
    for (const failed of this.#failures.values())
      if (failed.accountId === accountId) this.#failures.delete(programKey(failed));
    // after a request has started one, or that would outlive its account
    await Promise.all(own.map((each) => this.#changes.run(programKey(each), async () => this.#forget(each))));
    return this.#folder.end(accountId);
  }

  running(): Promise<NamedProgram[]> {
    return this.#folder.running();
  }

  async figures(): Promise<PoolsNow> {
    return { ...(await this.#meter.read()), failures: [...this.#failures.values()] };
  }

  async info(request: unknown): Promise<string> {
    const given = readMembers(request, ['account', 'name']);
    const [{ id, username }, name] = [readAccount(given.account), readText(given.name, POOL_NAME)];
    const master = await this.#folder.master(id, name);
    if (master?.isEnding !== false && !(await this.#folder.isAsleep(id, name)))
      throw fail.php_info_failed('there is no such pool, or it ends');
    const script = join(this.#host.rootOf(username).path, OWN_FOLDER, INFO_SCRIPT);
    try {
      return (await askPool(this.#folder.socket(id, name), script, INFO)).toString('utf8');
    } catch (cause) {
      throw fail.php_info_failed(errorMessage(cause), { cause });
    }
  }

  async prove(version: unknown): Promise<{ readonly isAlone: boolean }> {
    const pool = { ...PROOF, version: readText(version, VERSION) };
    const owner = { ...(this.#self ?? { uid: NOBODY.uid, webGid: NOBODY.uid }), root: '/nonexistent' };
    const named = { accountId: NOBODY.id, name: poolName(pool, [NOBODY.name]) };
    const folder = this.#folder.apart();
    try {
      await startPool(this.#host, folder, { ...named, pool, owner });
      return { isAlone: canBeAlone() };
    } finally {
      await folder.end(NOBODY.id);
      await folder.dispose();
    }
  }

  get #idleMs(): number {
    return this.#host.config.idle_seconds * 1000;
  }

  #forget(named: NamedProgram): void {
    this.#own.get(programKey(named))?.asleep?.close();
    this.#own.delete(programKey(named));
    this.#failures.delete(programKey(named));
  }

  /** Notes why a pool does not start, which holds until it does. */
  async #noting(named: NamedProgram, start: () => Promise<void>): Promise<void> {
    try {
      await start();
      this.#failures.delete(programKey(named));
    } catch (error) {
      this.#failures.set(programKey(named), { ...named, problem: errorMessage(error) });
      throw error;
    }
  }

  /** Has this process listen in the place of a master. */
  async #sleep(own: OwnPool): Promise<void> {
    const { accountId, name, owner } = own;
    const wake = () => this.#changes.run(programKey(own), () => this.#wake(own));
    own.asleep = await SleepingPool.listen(this.#folder.socket(accountId, name), owner.webGid, wake);
    await this.#folder.setAsleep(accountId, name, true);
  }

  /** Puts a pool to sleep, and has its master end. Does nothing while the one before is not through yet, which nobody would find again. */
  async #relieve(own: OwnPool, master: Master): Promise<boolean> {
    if (own.asleep !== undefined || (await this.#folder.isEnding(own))) return false;
    own.at = undefined;
    await this.#sleep(own);
    await this.#folder.setEnding(own.accountId, own.name);
    void this.#retire(master);
    return true;
  }

  async #wake(own: OwnPool): Promise<void> {
    const { accountId, name } = own;
    if (this.#own.get(programKey(own)) !== own) throw new Error('the pool has ended');
    try {
      await this.#noting(own, async () => this.#publish(own, await startPool(this.#host, this.#folder, own)));
    } catch (err) {
      this.#host.log.warn({ err, account: accountId, pool: name }, 'a pool of PHP did not start for a request');
      throw err;
    }
    own.asleep = undefined;
    own.usedAt = performance.now();
    await this.#folder.setAsleep(accountId, name, false);
  }

  /** Gives a master, which listens at a path, the socket of its pool. */
  async #publish(own: OwnPool, bound: string): Promise<void> {
    const { accountId, name } = own;
    const master = await this.#folder.master(accountId, name);
    await rename(bound, this.#folder.socket(accountId, name));
    own.at = master && { bound, master };
    this.#waiting.watch().catch((err: unknown) => this.#host.log.error({ err }, 'requests to PHP are not watched'));
  }

  #watched({ accountId, name, pool, at }: OwnPool): WatchedPool[] {
    if (at === undefined) return [];
    const socket = this.#folder.socket(accountId, name);
    return [{ bound: at.bound, socket, most: pool.workers, processes: () => countWorkers(at.master) }];
  }

  /** Lets a master finish its requests, and end. */
  async #quit({ accountId, name }: NamedProgram): Promise<void> {
    const master = await this.#folder.master(accountId, name);
    if (master === undefined || master.isEnding) return;
    await this.#folder.setEnding(accountId, name);
    quit(master);
  }

  /** Has a master end once it has nothing to do: a web server may have found its socket just before that led elsewhere. */
  async #retire(master: Master): Promise<void> {
    do await delay(LATE_MS, undefined, { ref: false });
    while (isAtWork(master));
    quit(master);
  }
}

function quit(master: Master): void {
  const pid = ownProcessId(masterPid(master));
  if (pid !== undefined && isRunning(master.id)) process.kill(pid, 'SIGQUIT');
}

/** Whether a master has processes for requests: they end some time after their last one. */
const isAtWork = (master: Master): boolean => countWorkers(master) > 0;

function readNamed(value: unknown): NamedProgram {
  const { accountId, name } = readMembers(value, ['accountId', 'name']);
  return { accountId: readId(accountId), name: readText(name, POOL_NAME) };
}

function readId(value: unknown): number {
  return readInteger(value, 0, 2 ** 31);
}
