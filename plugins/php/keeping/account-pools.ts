import type { Host } from '../../../kernel/contract/plugin.ts';
import { inTurn } from '../../../kernel/contract/workers.ts';
import type { Account } from '../../../kernel/identity/accounts/account.ts';
import { defineJob } from '../../../kernel/kit/jobs/job.ts';
import { accountSocket } from '../../../kernel/kit/net/account-socket.ts';
import { fail } from '../errors.ts';
import type makeFolders from './folders-job.ts';
import type { PhpVerbs } from '../pools/php-verbs.ts';
import { OWN_FOLDER } from '../pools/pool-config.ts';
import { poolName, type Pool } from '../pools/pool.ts';
import type { PhpConfig } from '../schema.ts';

const FOLDERS = defineJob<typeof makeFolders>({
  beside: import.meta.url,
  script: 'folders-job',
  timeoutMs: 5000,
  tooMuch: 'files_unavailable',
});
const OWN_FOLDERS = ['sessions', 'tmp'].map((name) => [OWN_FOLDER, name]);

/** The pools of accounts, as the service starts and ends them. */
export class AccountPools {
  readonly #host: Host<PhpConfig>;
  readonly verbs: PhpVerbs;

  constructor(host: Host<PhpConfig>, verbs: PhpVerbs) {
    this.#host = host;
    this.verbs = verbs;
  }

  /** Returns the name that a pool has at this node. */
  nameOf(pool: Pool): string {
    return poolName(pool, this.#host.config.disabled_functions);
  }

  /** Returns the path of a pool's socket, whether or not it runs. */
  socketOf(account: Pick<Account, 'id'>, pool: Pool): string {
    return accountSocket(this.#host.config.run_folder, account.id, this.nameOf(pool));
  }

  /** Has a pool answer; one that `rests` may end then until it is asked. Errors: 502 `php_failed`; those of jobs and of the broker. */
  async start({ id, username }: Account, pool: Pool, rests = false): Promise<void> {
    const account = { id, username };
    await this.#host.jobs.run(FOLDERS, account, OWN_FOLDERS, { makesRoot: true });
    const name = await this.verbs.start({ account, pool, rests });
    if (name !== this.nameOf(pool)) throw fail.php_failed('the broker has other settings of PHP: reload it');
    // it may have been suspended, removed or closed for its move meanwhile
    const { accounts } = this.#host.identity;
    if (!accounts.isOpenHere(await accounts.byUsername(username))) await this.verbs.end(id);
  }

  /** Runs changes of an account's pools one after another, in all workers. */
  inTurn<T>({ id }: Pick<Account, 'id'>, change: () => Promise<T>): Promise<T> {
    return inTurn(this.#host.workers, `php ${id}`, change);
  }
}
