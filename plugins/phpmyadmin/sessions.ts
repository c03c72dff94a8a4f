import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { DatabaseSessions } from '../../kernel/areas/database-servers.ts';
import {
  domainNamed,
  NO_DOMAINS,
  type Domain,
  type DomainDirectory,
} from '../../kernel/areas/sites/domain-directory.ts';
import { findWebServer, type SiteRules } from '../../kernel/contract/points/web-server-part.ts';
import { serveSite } from '../../kernel/areas/sites/site-changes.ts';
import { inTurn } from '../../kernel/contract/workers.ts';
import type { Account } from '../../kernel/identity/accounts/account.ts';
import { defineJob } from '../../kernel/kit/jobs/job.ts';
import { accountSocket } from '../../kernel/kit/net/account-socket.ts';
import { fail } from './errors.ts';
import { phpForPhpMyAdmin } from './installed.ts';
import type { SessionVerbs } from './pools/session-pools.ts';
import { sessionPath } from './pools/session-pool.ts';
import type { OpenedPhpMyAdmin, PhpMyAdminConfig, PhpMyAdminState } from './schema.ts';
import type session from './session-job.ts';
import type { SitePart } from './site-directives.ts';
import * as rows from './store.ts';

const FILES = defineJob<typeof session>({
  beside: import.meta.url,
  script: 'session-job',
  timeoutMs: 10_000,
  tooMuch: 'files_unavailable',
});
/** How long the link can be used. */
const LINK_MS = 60_000;
const HOUR_MS = 3_600_000;
const NAME_LENGTH = 20;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Sessions of phpMyAdmin: each has a database user, a pool of PHP and an address of its own, which all end with it. */
export class PhpMyAdminSessions {
  readonly #host: Host<PhpMyAdminConfig>;
  readonly #verbs: SessionVerbs;
  readonly #domains: DomainDirectory;

  constructor(host: Host<PhpMyAdminConfig>, verbs: SessionVerbs) {
    this.#host = host;
    this.#verbs = verbs;
    this.#domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
  }

  async describe(account: Account): Promise<PhpMyAdminState> {
    const domains = await this.#domains.list(account);
    const secure = await this.#withHttps(domains);
    const open = await rows.readSession(this.#host.store, account.id);
    const at = domains.find(({ id }) => id === open?.domainId);
    return {
      is_installed: (await phpForPhpMyAdmin()) !== undefined,
      is_managed: this.#databases?.isManaged(account) === true,
      domains: domains.map(({ id, name }) => {
        const has_https = secure.has(id);
        return { domain_url: name, has_https, is_usable: has_https || !this.#host.config.needs_https };
      }),
      session:
        open === undefined || open.isEnding || open.expiresAt <= Date.now() || at === undefined
          ? null
          : { domain_url: at.name, created_at: iso(open.createdAt), expires_at: iso(open.expiresAt) },
    };
  }

  /** Returns how domains serve sessions. */
  async rules(domainIds: readonly number[]): Promise<SiteRules> {
    const { store, config } = this.#host;
    const served = await rows.servedSessions(store, domainIds);
    return new Map(
      served.map(({ domainId, accountId, name }) => {
        const socket = accountSocket(config.run_folder, accountId, name);
        const part: SitePart = { name, socket, uploadMib: config.upload_mib };
        return [domainId, { parts: { phpmyadmin: part } }];
      }),
    );
  }

  /**
   * Opens a session in place of the one before. Errors: 404 `domain_not_found`; 409 `domain_without_https`, `databases_not_managed`; 502
   * `phpmyadmin_failed`; 503 `phpmyadmin_missing`; those of jobs, of the broker, of the database server and of providers of `siteChanged`.
   */
  async open(account: Account, text: string, ip: string): Promise<OpenedPhpMyAdmin> {
    const domain = await domainNamed(this.#domains, account, text);
    const isSecure = (await this.#withHttps([domain])).has(domain.id);
    if (!isSecure && this.#host.config.needs_https)
      throw fail.domain_without_https('phpMyAdmin opens at domains with HTTPS only');
    const version = await phpForPhpMyAdmin();
    if (version === undefined) throw fail.phpmyadmin_missing('the server has no phpMyAdmin');
    if (this.#databases?.isManaged(account) !== true)
      throw fail.databases_not_managed('the databases of this account are managed elsewhere');
    const { store, events } = this.#host;
    return this.inTurn(account, async () => {
      await this.end(account, ip);
      const token = randomBytes(24).toString('base64url');
      const session = await this.#begin(account, domain);
      try {
        await this.#start(account, domain, { session, version, token });
        await store.write((tx) =>
          events.record(tx, {
            ...{ type: 'phpmyadmin.opened', account, text: `opened phpMyAdmin at ${domain.name}`, ip },
            data: { domain_url: domain.name },
          }),
        );
      } catch (error) {
        // what cannot be removed now, the next round removes
        await this.end(account, ip).catch((err: unknown) =>
          this.#host.log.warn({ err }, 'a session of phpMyAdmin was left half open'),
        );
        throw error;
      }
      const url = `${await this.#origin(domain, isSecure)}${sessionPath(session.name)}?hostkeep_open=${token}`;
      return { url, domain_url: domain.name, expires_at: iso(session.expiresAt) };
    });
  }

  /** Errors: 404 `phpmyadmin_not_open`; those of `end`. */
  async close(account: Account, ip: string): Promise<void> {
    await this.inTurn(account, async () => {
      if (!(await this.end(account, ip))) throw fail.phpmyadmin_not_open('there is no session to end');
    });
  }

  /**
   * Ends the session of an account, if there is one, and removes what it had. Resolves with whether there was one. Errors: those of
   * jobs, of the broker, of the database server and of providers of `siteChanged`; it goes on ending then.
   */
  async end(account: Account, ip: string): Promise<boolean> {
    const { store, jobs } = this.#host;
    const open = await rows.readSession(store, account.id);
    if (open === undefined) return false;
    await store.write((tx) => rows.setEnding(tx, open));
    await this.#verbs.end(account.id);
    if (this.#databases?.isManaged(account) === true) await this.#databases.close(account);
    await jobs.run(FILES, account, 'remove', { makesRoot: true });
    const domain = (await this.#domains.list(account)).find(({ id }) => id === open.domainId);
    if (domain !== undefined) await this.#changed(account, domain);
    await store.write(async (tx) => {
      if (!(await rows.removeSession(tx, open))) return;
      const name = domain?.name ?? '';
      const text = `ended a session of phpMyAdmin${name && ` at ${name}`}`;
      await this.#host.events.record(tx, { type: 'phpmyadmin.closed', account, text, ip, data: { domain_url: name } });
    });
    return true;
  }

  /** Whether a session is over: its time is, or what it needs is gone, or the customer has left it. */
  async isOver(account: Account, open: rows.StoredSession, running: ReadonlySet<string>): Promise<boolean> {
    const { identity, config, jobs } = this.#host;
    const mayOpen = ['phpmyadmin', 'mysql'].every((feature) => account.features.has(feature));
    if (open.isEnding || open.expiresAt <= Date.now() || !mayOpen || !identity.accounts.isOpenHere(account))
      return true;
    if (!running.has(`${account.id}/${open.name}`)) return true;
    if (!(await this.#domains.list(account)).some(({ id }) => id === open.domainId)) return true;
    const { usedAt, isEnded } = await jobs.run(FILES, account, 'look');
    const leftAt = usedAt === null ? open.createdAt + LINK_MS : usedAt + config.idle_minutes * 60_000;
    return isEnded || leftAt <= Date.now();
  }

  /** Runs changes of an account's session one after another, in all workers. */
  inTurn<T>({ id }: Pick<Account, 'id'>, change: () => Promise<T>): Promise<T> {
    return inTurn(this.#host.workers, `phpmyadmin ${id}`, change);
  }

  get #databases(): DatabaseSessions | undefined {
    return this.#host.peer<DatabaseSessions>('mysql');
  }

  #begin(account: Account, domain: Domain): Promise<rows.StoredSession> {
    const { store, identity, config } = this.#host;
    return store.write(async (tx) => {
      await identity.accounts.assertExists(tx, account);
      const createdAt = Date.now();
      const session = {
        ...{ accountId: account.id, domainId: domain.id, name: randomName(), createdAt, isEnding: false },
        expiresAt: createdAt + config.hours * HOUR_MS,
      };
      await rows.insertSession(tx, session);
      return session;
    });
  }

  async #start(
    account: Account,
    domain: Domain,
    { session, version, token }: { session: rows.StoredSession; version: string; token: string },
  ): Promise<void> {
    const { jobs, identity, config } = this.#host;
    await jobs.run(FILES, account, 'make', { makesRoot: true });
    const login = await this.#databases?.open(account);
    if (login === undefined) throw fail.databases_unavailable('the plugin that manages databases is not ready');
    await this.#verbs.start({
      account: { id: account.id, username: account.username },
      session: {
        ...{ name: session.name, version, login, uploadMib: config.upload_mib },
        linkHash: createHash('sha256').update(token).digest('hex'),
        cookie: randomBytes(32).toString('hex'),
        opensUntil: seconds(session.createdAt + LINK_MS),
        expiresAt: seconds(session.expiresAt),
        idleSeconds: config.idle_minutes * 60,
      },
    });
    await this.#changed(account, domain);
    // it may have been suspended, removed or closed for its move meanwhile
    if (!identity.accounts.isOpenHere(await identity.accounts.byId(account.id)))
      throw fail.phpmyadmin_failed('the account was closed meanwhile');
  }

  /** Has the web server serve the domain as the rows say. */
  #changed(account: Account, domain: Domain): Promise<void> {
    return serveSite(this.#host, { ...domain, account });
  }

  /** Resolves with the ids of those that answer over TLS. */
  async #withHttps(domains: readonly Domain[]): Promise<Set<number>> {
    const found = new Set<number>();
    if (domains.length === 0 || (await findWebServer(this.#host))?.takesTls !== true) return found;
    for (const part of await this.#host.gather(
      'siteRules',
      domains.map(({ id }) => id),
    ))
      if (part.ok) for (const [id, { isSecure }] of part.value) if (isSecure === true) found.add(id);
    return found;
  }

  async #origin({ name }: Domain, isSecure: boolean): Promise<string> {
    const { port, tlsPort } = (await findWebServer(this.#host)) ?? {};
    const [scheme, at, usual] = isSecure ? ['https', tlsPort, 443] : ['http', port, 80];
    return `${scheme}://${name}${at === undefined || at === usual ? '' : `:${at}`}`;
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();
const seconds = (ms: number): number => Math.floor(ms / 1000);
const randomName = (): string =>
  Array.from({ length: NAME_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
