import type { Host } from '../../kernel/contract/plugin.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { WORKER_EXITED } from '../../kernel/contract/workers.ts';
import { Recurring } from '../../kernel/kit/waiting/recurring.ts';
import { errorMessage } from '../../kernel/errors.ts';
import { LogThrottle } from '../../kernel/log.ts';
import { loginEntry, type AccountLogins } from './account-logins.ts';
import type { SftpConfig } from './schema.ts';
import { loginDigest } from './server/login-entry.ts';
import type { Served } from './server/sftp-server.ts';
import { allLogins, listLogins } from './store.ts';

const AGAIN_MS = 10_000;
const EVENTS = new Set([
  ...['account.suspended', 'account.unsuspended', 'account.removed', 'account.moved', 'account.changed'],
  'feature.toggled',
]);

/** Keeps what ProFTPD has as the store says. */
export class LoginKeeper {
  readonly #host: Host<SftpConfig>;
  readonly #logins: AccountLogins;
  readonly #throttle = new LogThrottle();
  #problem: string | undefined;
  #served: Served | undefined;

  constructor(host: Host<SftpConfig>, logins: AccountLogins) {
    this.#host = host;
    this.#logins = logins;
  }

  /** Returns what is wrong; nothing where another process of the node looks after the logins. */
  findings(): Finding[] {
    const findings: Finding[] = [];
    if (this.#problem !== undefined)
      findings.push({ name: 'logins', ok: false, detail: this.#problem, remedy: 'see the log for the reason' });
    if (this.#served?.isRunning === false)
      findings.push({
        name: 'ProFTPD',
        ok: false,
        detail: 'ProFTPD does not run',
        remedy: 'systemctl restart proftpd',
      });
    return findings;
  }

  start(): void {
    const { events, workers, onClose, log } = this.#host;
    const recurring = new Recurring({
      run: () => this.reconcile(),
      failed: (err) => log.error({ err }, 'SFTP logins could not be compared with what is stored'),
      everyMs: AGAIN_MS,
    });
    const stops = [
      workers.subscribe(WORKER_EXITED, () => recurring.wake()),
      events.listen(({ type }) => {
        if (EVENTS.has(type)) recurring.wake();
      }),
    ];
    onClose(async () => {
      for (const stop of stops) stop();
      await recurring.close();
    });
    recurring.wake();
  }

  /** Brings the logins of all accounts up to date. Failures are the `problem`, and are tried again. */
  async reconcile(): Promise<void> {
    const problems: string[] = [];
    const attempt = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (err) {
        problems.push(`${what}: ${errorMessage(err)}`);
        if (this.#throttle.isDue(what)) this.#host.log.warn({ err }, `${what} could not be brought up to date`);
      }
    };
    await attempt('SFTP logins', async () => {
      this.#served = await this.#logins.inTurn(() => this.#logins.verbs.tend(null));
      const stored = await allLogins(this.#host.store);
      const kept = new Map<number, string[]>();
      for (const { accountId, name, digest } of this.#served.kept)
        kept.set(accountId, [...(kept.get(accountId) ?? []), `${name} ${digest}`]);
      for (const id of new Set([...stored.keys(), ...kept.keys()])) {
        const account = await this.#host.identity.accounts.byId(id);
        const wanted = this.#logins.isOpen(account) ? (stored.get(id) ?? []) : [];
        if (
          digests(wanted.map((each) => `${each.name} ${loginDigest(loginEntry(each))}`)) !== digests(kept.get(id) ?? [])
        )
          await attempt(`SFTP logins of the account ${id}`, () => this.#logins.inTurn(() => this.#mend(id)));
      }
    });
    this.#problem = problems[0];
  }

  async #mend(id: number): Promise<void> {
    const account = await this.#host.identity.accounts.byId(id);
    if (!this.#logins.isOpen(account)) await this.#logins.verbs.remove(id);
    else await this.#logins.put(account, await listLogins(this.#host.store, id));
  }
}

const digests = (each: readonly string[]): string => each.toSorted().join();
