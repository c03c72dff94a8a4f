import { filesOwner, type PrivilegedHost } from '../../../kernel/contract/privileged.ts';
import type { Identified } from '../../../kernel/kit/jobs/job.ts';
import { startFpm } from '../../../kernel/kit/programs/fpm/php-fpm.ts';
import { ProgramFolder, type NamedProgram } from '../../../kernel/kit/programs/program-folder.ts';
import { readAccount, readInteger, readMembers } from '../../../kernel/kit/verb-arguments.ts';
import { fail } from '../errors.ts';
import { BROKERS, type PhpMyAdminConfig } from '../schema.ts';
import { POOL, poolSettings, poolVariables, readPoolSession, SESSION_NAME, type PoolSession } from './session-pool.ts';

export interface SessionVerbs {
  /** Has the pool of a session answer, whose folder is there, in place of the account's others. */
  start(request: { readonly account: Identified; readonly session: PoolSession }): Promise<null>;
  /** Kills the pools of an account. Resolves with their number. */
  end(accountId: number): Promise<number>;
  /** Resolves with the pools that run. */
  running(nothing: null): Promise<readonly NamedProgram[]>;
}

/** Starts and ends the masters of PHP-FPM that run phpMyAdmin as accounts: one for each session, which never changes. */
export class SessionPools implements SessionVerbs {
  readonly #host: PrivilegedHost<PhpMyAdminConfig>;
  readonly #folder: ProgramFolder;

  constructor(host: PrivilegedHost<PhpMyAdminConfig>) {
    this.#host = host;
    this.#folder = new ProgramFolder(host.config.run_folder || BROKERS, SESSION_NAME, host.signal);
  }

  async start(request: unknown): Promise<null> {
    const given = readMembers(request, ['account', 'session']);
    const [account, session] = [readAccount(given.account), readPoolSession(given.session)];
    if (process.geteuid?.() !== 0)
      throw fail.phpmyadmin_failed('only root, or the broker, starts programs of accounts');
    const webGid = this.#host.userOf(account)?.webGid ?? null;
    if (webGid === null)
      throw fail.phpmyadmin_failed(
        'accounts need user ids, and the web server a group: set ids.first and ids.web_group',
      );
    const owner = await filesOwner(this.#host, account, fail.phpmyadmin_failed);
    await this.#folder.end(account.id);
    const socket = this.#folder.socket(account.id, session.name);
    await startFpm(
      this.#folder,
      { accountId: account.id, name: session.name },
      {
        version: session.version,
        settings: poolSettings(session, { ...owner, webGid, socket }),
        socket,
        root: owner.root,
        env: poolVariables(session, owner.root),
        webGid,
        workers: POOL.workers,
        memoryMib: POOL.memoryMib,
        group: this.#host.groups?.ofAccount(account.id),
        printed: (text) => this.#host.log.debug({ account: account.id, text }, 'php-fpm'),
        refuse: fail.phpmyadmin_failed,
      },
    );
    return null;
  }

  end(accountId: unknown): Promise<number> {
    return this.#folder.end(readInteger(accountId, 1, 2 ** 31));
  }

  running(): Promise<readonly NamedProgram[]> {
    return this.#folder.running();
  }
}
