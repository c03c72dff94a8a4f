import { join } from 'node:path';
import { errorMessage } from '../../../kernel/errors.ts';
import { filesOwner, type PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import { askPool } from '../../../kernel/kit/programs/fastcgi.ts';
import { startFpm } from '../../../kernel/kit/programs/php-fpm.ts';
import {
  killMaster,
  masterPid,
  ProgramFolder,
  type NamedProgram,
} from '../../../kernel/kit/programs/program-folder.ts';
import { canBeAlone, ownProcessId } from '../../../kernel/kit/programs/start-program.ts';
import { readAccount, readInteger, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { fail } from '../errors.ts';
import { BROKERS, type PhpConfig } from '../schema.ts';
import { INFO_SCRIPT, OWN_FOLDER, poolConfig } from './pool-config.ts';
import { POOL_NAME, poolName, readPool, VERSION, type Pool } from './pool.ts';

export interface PhpVerbs {
  /** Has a pool answer, and resolves with its name. Does nothing for one that runs. */
  start(request: { readonly account: Identified; readonly pool: Pool }): Promise<string>;
  /** Lets a pool finish its requests and end; its socket takes no others. */
  stop(pool: NamedProgram): Promise<null>;
  /** Ends all pools of an account at once, and removes what they have beside its files. Resolves with their number. */
  end(accountId: number): Promise<number>;
  /** Resolves with the pools that run. */
  running(nothing: null): Promise<readonly NamedProgram[]>;
  /** Resolves with what the account's own script `INFO_SCRIPT` prints in a pool that runs: headers, an empty line, and HTML. */
  info(request: { readonly account: Identified; readonly name: string }): Promise<string>;
  /** Has a pool of nobody answer for a while. Rejects with why it does not. */
  prove(version: string): Promise<{ readonly isAlone: boolean }>;
}

const INFO = { timeoutMs: 10_000, mostBytes: 2 ** 19 } as const;
/** No account has this number. */
const NOBODY = { id: 0, uid: 65_534, name: 'nobody' } as const;
const PROOF: Omit<Pool, 'version'> = {
  ...{ workers: 1, memoryMib: 16, uploadMib: 1, seconds: 5, showsErrors: false, timezone: 'UTC', ini: [] },
};

/** Starts and ends masters of PHP-FPM: one for each pool, so that a pool never changes, and none waits for another. */
export class PhpPools implements PhpVerbs {
  readonly #host: PrivilegedHost<PhpConfig>;
  readonly #folder: ProgramFolder;

  constructor(host: PrivilegedHost<PhpConfig>) {
    this.#host = host;
    this.#folder = new ProgramFolder(host.config.run_folder || BROKERS, POOL_NAME, host.signal);
  }

  async start(request: unknown): Promise<string> {
    const given = readMembers(request, ['account', 'pool']);
    const [account, pool] = [readAccount(given.account), readPool(given.pool)];
    const name = poolName(pool, this.#host.config.disabled_functions);
    const master = await this.#folder.master(account.id, name);
    if (master?.isEnding === false) return name;
    if (master !== undefined) await killMaster(master);
    const webGid = this.#host.userOf(account)?.webGid ?? null;
    if (webGid === null)
      throw fail.php_failed('accounts need user ids, and the web server a group: set ids.first and ids.web_group');
    const owner = await filesOwner(this.#host, account, fail.php_failed);
    await this.#start(this.#folder, { accountId: account.id, name }, pool, { ...owner, webGid });
    return name;
  }

  async stop(pool: unknown): Promise<null> {
    const given = readMembers(pool, ['accountId', 'name']);
    const [accountId, name] = [readId(given.accountId), readText(given.name, POOL_NAME)];
    const master = await this.#folder.master(accountId, name);
    if (master === undefined) await this.#folder.clear(accountId, name);
    if (master === undefined || master.isEnding) return null;
    await this.#folder.setEnding(accountId, name);
    const pid = ownProcessId(masterPid(master));
    if (pid !== undefined) process.kill(pid, 'SIGQUIT');
    return null;
  }

  end(accountId: unknown): Promise<number> {
    return this.#folder.end(readId(accountId));
  }

  running(): Promise<NamedProgram[]> {
    return this.#folder.running();
  }

  async info(request: unknown): Promise<string> {
    const given = readMembers(request, ['account', 'name']);
    const [{ id, username }, name] = [readAccount(given.account), readText(given.name, POOL_NAME)];
    const master = await this.#folder.master(id, name);
    if (master?.isEnding !== false) throw fail.php_info_failed('there is no such pool, or it ends');
    const script = join(this.#host.rootOf(username).path, OWN_FOLDER, INFO_SCRIPT);
    try {
      return (await askPool(this.#folder.socket(id, name), script, INFO)).toString('utf8');
    } catch (cause) {
      throw fail.php_info_failed(errorMessage(cause), { cause });
    }
  }

  async prove(version: unknown): Promise<{ readonly isAlone: boolean }> {
    const pool = { ...PROOF, version: readText(version, VERSION) };
    const named = { accountId: NOBODY.id, name: poolName(pool, [NOBODY.name]) };
    const folder = this.#folder.apart();
    try {
      await this.#start(folder, named, pool, { uid: NOBODY.uid, webGid: NOBODY.uid, root: '/nonexistent' });
      return { isAlone: canBeAlone() };
    } finally {
      await folder.end(NOBODY.id);
      await folder.dispose();
    }
  }

  async #start(
    folder: ProgramFolder,
    { accountId, name }: NamedProgram,
    pool: Pool,
    owner: { readonly uid: number; readonly webGid: number; readonly root: string },
  ): Promise<void> {
    const { log, config, groups } = this.#host;
    if (process.geteuid?.() !== 0) throw fail.php_failed('only root, or the broker, starts processes of accounts');
    const socket = folder.socket(accountId, name);
    await startFpm(
      folder,
      { accountId, name },
      {
        version: pool.version,
        settings: poolConfig(pool, { ...owner, socket }, config.disabled_functions),
        webGid: owner.webGid,
        workers: pool.workers,
        memoryMib: pool.memoryMib,
        group: groups?.ofAccount(accountId),
        printed: (text) => log.debug({ account: accountId, pool: name, text }, 'php-fpm'),
        refuse: fail.php_failed,
      },
    );
  }
}

function readId(value: unknown): number {
  return readInteger(value, 0, 2 ** 31);
}
