import type { Host } from '../../kernel/contract/plugin.ts';
import { problemFinding, type Finding } from '../../kernel/contract/points/finding.ts';
import { eventWakers } from '../../kernel/contract/workers.ts';
import { pathComponents } from '../../kernel/kit/files/client-path.ts';
import { startReconciling, type AttemptPart } from '../../kernel/kit/waiting/reconciling.ts';
import { loginEntry, type AccountLogins } from './account-logins.ts';
import type { SftpConfig } from './schema.ts';
import { loginDigest } from './server/login-entry.ts';
import type { Served } from './server/sftp-verbs.ts';
import type { SeenLogin } from './server/login-log.ts';
import type { StoredFile } from './server/stored-log.ts';
import { allLogins, listLogins, noteLastLogin, type StoredLogin } from './store.ts';

const AGAIN_MS = 10_000;
/** How long no more is told of failures at a login. */
const QUIET_MS = 600_000;
const EVENTS = new Set([
  ...['account.suspended', 'account.unsuspended', 'account.removed', 'account.moved', 'account.changed'],
  'feature.toggled',
]);

/** Keeps what ProFTPD has as the store says. */
export class LoginKeeper {
  readonly #host: Host<SftpConfig>;
  readonly #logins: AccountLogins;
  #problem: () => string | undefined = () => undefined;
  #served: Served | undefined;
  /** By login, the last failure that was told. */
  readonly #told = new Map<string, number>();

  constructor(host: Host<SftpConfig>, logins: AccountLogins) {
    this.#host = host;
    this.#logins = logins;
  }

  /** Returns what is wrong; nothing where another process of the node looks after the logins. */
  findings(): Finding[] {
    return [
      ...problemFinding('logins', this.#problem()),
      ...problemFinding('settings', this.#served?.problem, 'correct the settings of sftp'),
      ...problemFinding(
        'ProFTPD',
        this.#served?.isRunning === false ? 'ProFTPD does not run' : null,
        'systemctl restart proftpd',
      ),
    ];
  }

  start(): void {
    const wakers = eventWakers(this.#host, EVENTS);
    this.#problem = startReconciling({ ...this.#host, wakers, everyMs: AGAIN_MS, subject: 'SFTP logins' }, (attempt) =>
      this.#reconcile(attempt),
    );
  }

  async #reconcile(attempt: AttemptPart): Promise<void> {
    this.#served = await this.#logins.inTurn(() => this.#logins.verbs.tend(null));
    const stored = await allLogins(this.#host.store);
    const logins = [...stored.values()].flat();
    await this.#noteLastLogins(this.#served.lastLogins, logins);
    const known = new Map(logins.map((login) => [login.name, login]));
    await this.#tellFailures(this.#served.failures, known);
    await this.#tellUploads(this.#served.stored, known);
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
  }

  async #noteLastLogins(seen: readonly SeenLogin[], stored: readonly StoredLogin[]): Promise<void> {
    // A login of the same name may have been removed before; ProFTPD writes whole seconds.
    const known = new Map(stored.map(({ name, createdAt, lastLoginAt }) => [name, lastLoginAt ?? createdAt - 1000]));
    const later = seen.filter(({ login, at }) => at > (known.get(login) ?? at));
    if (later.length === 0) return;
    await this.#host.store.write(async (tx) => {
      for (const each of later) await noteLastLogin(tx, each);
    });
  }

  /** Records who failed to log in, once in a while for each login: whoever tries passwords fills no log. */
  async #tellFailures(seen: readonly SeenLogin[], known: ReadonlyMap<string, StoredLogin>): Promise<void> {
    const { store, identity, events } = this.#host;
    for (const [login, at] of this.#told) if (Date.now() - at > QUIET_MS) this.#told.delete(login);
    for (const { login, at, address } of seen) {
      const { accountId, createdAt = Infinity } = known.get(login) ?? {};
      if (accountId === undefined || createdAt > at || this.#told.has(login)) continue;
      const account = await identity.accounts.byId(accountId);
      if (account === undefined) continue;
      const text = `refused a login as ${login} from ${address}`;
      await store.write((tx) =>
        events.record(tx, {
          ...{ type: 'sftp.login_failed', account, ip: address, isNoticed: true, text },
          data: { login, address },
        }),
      );
      this.#told.set(login, Date.now());
    }
  }

  /** Tells of uploads as of those through the API. */
  async #tellUploads(seen: readonly StoredFile[], known: ReadonlyMap<string, StoredLogin>): Promise<void> {
    for (const { login, path } of seen) {
      const { accountId, folder = [] } = known.get(login) ?? {};
      const account = accountId === undefined ? undefined : await this.#host.identity.accounts.byId(accountId);
      const components = namesIn(`/${folder.join('/')}${path}`);
      if (account !== undefined && components !== undefined) void this.#host.gather('uploaded', account, components);
    }
  }

  async #mend(id: number): Promise<void> {
    const account = await this.#host.identity.accounts.byId(id);
    if (!this.#logins.isOpen(account)) await this.#logins.verbs.remove(id);
    else await this.#logins.put(account, await listLogins(this.#host.store, id));
  }
}

/** Returns the names in a path, unless clients of the API could not write it. */
function namesIn(path: string): string[] | undefined {
  try {
    return pathComponents(path, '');
  } catch {
    return undefined; // such a file is left to those who read folders
  }
}

const digests = (each: readonly string[]): string => each.toSorted().join();
