import { TOTP } from 'otpauth';
import { PASSWORD } from '../../support/hostkeep.ts';
import type { NodeProcess, Reply } from '../../support/node-process.ts';
import type { Random } from '../../support/random.ts';
import { readState, sorted, type AccountState } from './account-state.ts';

/** A request, and the state that follows once it is acknowledged. */
interface Write {
  readonly kind: string;
  readonly request: (node: NodeProcess) => Promise<Reply>;
  readonly after: AccountState;
  /** Records what later writes need from the reply. */
  readonly keep?: (body: Record<string, unknown>) => void;
}

const LOCALES = ['en', 'de', 'fr'];
const FEATURES = ['waf', 'redis', 'varnish'];

/**
 * An account that makes changes of every kind, one at a time, and records the acknowledged ones. When the node dies,
 * the last change may have happened or not; every earlier one must be there.
 */
export class WriteWorkload {
  readonly name: string;
  readonly acknowledged = new Map<string, number>();
  state: AccountState = {
    domains: [],
    favorites: {},
    locale: 'en',
    password: PASSWORD,
    hasTwofa: false,
    email: '',
    cpuLimit: 4,
    features: {},
    sessions: [],
  };
  readonly #random: Random;
  #inDoubt: AccountState | undefined;
  #token = '';
  #admin = '';
  #secret = '';
  #recovery: string[] = [];
  readonly #sessions: string[] = [];
  #writes = 0;

  constructor(name: string, random: Random) {
    this.name = name;
    this.#random = random;
  }

  /** Logs in and gets a plan of its own. */
  async begin(node: NodeProcess, admin: string): Promise<void> {
    this.#admin = admin;
    this.#token = await node.login(this.name);
    const { body } = await node.ask('/api/plans/developer', { token: admin, address: 'admin' });
    await node.ask('/api/plans', {
      method: 'POST',
      token: admin,
      address: 'admin',
      body: { name: this.name, limits: { cpu_limit: this.state.cpuLimit }, features: body['features'] },
    });
    await node.ask(`/api/accounts/${this.name}`, {
      method: 'PATCH',
      token: admin,
      address: 'admin',
      body: { plan: this.name },
    });
  }

  /** Writes until the connection breaks, and calls `onAcknowledged` after each write. Rejects if one is refused. */
  async write(node: NodeProcess, onAcknowledged: () => void): Promise<void> {
    for (;;) {
      const write = await this.#next(node).catch(() => undefined);
      if (write === undefined) return;
      const reply = await write.request(node).catch(() => undefined);
      if (reply === undefined) {
        this.#inDoubt = write.kind === 'login' ? undefined : write.after; // a token that never arrived is useless
        return;
      }
      if (reply.status >= 300)
        throw new Error(`${this.name} ${write.kind}: ${reply.status} ${JSON.stringify(reply.body)}`);
      write.keep?.(reply.body);
      this.state = write.after;
      this.acknowledged.set(write.kind, (this.acknowledged.get(write.kind) ?? 0) + 1);
      onAcknowledged();
    }
  }

  /** Rejects unless the node holds what it acknowledged, with or without the change in doubt. */
  async compare(node: NodeProcess): Promise<void> {
    const wanted = [this.state, ...(this.#inDoubt === undefined ? [] : [this.#inDoubt])];
    const found = await readState(node, {
      username: this.name,
      token: this.#token,
      admin: this.#admin,
      sessions: this.#sessions,
      passwords: wanted.map(({ password }) => password),
    });
    const state = wanted.find((each) => JSON.stringify(each) === JSON.stringify(found));
    if (state === undefined)
      throw new Error(
        [`${this.name} holds`, found, 'instead of', ...wanted]
          .map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
          .join('\n'),
      );
    this.state = state;
    this.#inDoubt = undefined;
  }

  get count(): number {
    return [...this.acknowledged.values()].reduce((sum, n) => sum + n, 0);
  }

  #own(path: string, method: string, body: unknown): Write['request'] {
    return (node) => node.ask(path, { method, token: this.#token, body });
  }

  #byAdmin(path: string, method: string, body?: unknown): Write['request'] {
    return (node) =>
      node.ask(path, { method, token: this.#admin, address: 'admin', ...(body !== undefined && { body }) });
  }

  /** Returns a random write that is currently possible. A setup request before it does not count as a write. */
  async #next(node: NodeProcess): Promise<Write> {
    const { state } = this;
    const n = (this.#writes += 1);
    const writes: (() => Write | Promise<Write>)[] = [
      () => this.#addDomain(`d${n}-${this.name}.example`),
      () => this.#putFavorite(`/page-${n % 20}`, `title ${n}`),
      () => this.#setLocale(n),
      () => ({
        kind: 'e-mail',
        request: this.#byAdmin(`/api/accounts/${this.name}`, 'PATCH', { email: `${n}@example.com` }),
        after: { ...state, email: `${n}@example.com` },
      }),
      () => ({
        kind: 'plan',
        request: this.#byAdmin(`/api/plans/${this.name}`, 'PATCH', { limits: { cpu_limit: n } }),
        after: { ...state, cpuLimit: n },
      }),
      () => this.#toggle(FEATURES[n % 3] ?? '', n % 2 === 0),
      () => this.#changePassword(`${PASSWORD} ${n}`),
      () => (state.hasTwofa ? this.#twofaOff() : this.#twofaOn(node)),
      () => (state.hasTwofa || this.#sessions.length >= 40 ? this.#setLocale(n) : this.#login()),
      ...state.domains.slice(0, 1).map((name) => () => this.#removeDomain(name)),
      ...Object.keys(state.favorites)
        .slice(0, 1)
        .map((link) => () => this.#removeFavorite(link)),
      ...(state.sessions.includes(true) ? [() => this.#logout(state.sessions.lastIndexOf(true))] : []),
    ];
    const pick = writes[Math.floor(this.#random.next() * writes.length)] as () => Write | Promise<Write>;
    return pick();
  }

  #addDomain(name: string): Write {
    return {
      kind: 'domain added',
      request: this.#own('/api/domains/new', 'POST', { domain_url: name }),
      after: { ...this.state, domains: [...this.state.domains, name].toSorted() },
    };
  }

  #removeDomain(name: string): Write {
    return {
      kind: 'domain removed',
      request: this.#own('/api/domains/delete', 'POST', { domain_url: name }),
      after: { ...this.state, domains: this.state.domains.filter((each) => each !== name) },
    };
  }

  #putFavorite(link: string, title: string): Write {
    return {
      kind: 'favorite',
      request: this.#own('/api/favorites', 'PUT', { link, title }),
      after: { ...this.state, favorites: sorted({ ...this.state.favorites, [link]: title }) },
    };
  }

  #removeFavorite(link: string): Write {
    const { [link]: _, ...favorites } = this.state.favorites;
    return {
      kind: 'favorite removed',
      request: this.#own('/api/favorites', 'DELETE', { link }),
      after: { ...this.state, favorites },
    };
  }

  #setLocale(n: number): Write {
    const locale = LOCALES[n % LOCALES.length] ?? '';
    return {
      kind: 'language',
      request: this.#own('/api/account/language', 'PUT', { locale }),
      after: { ...this.state, locale },
    };
  }

  #toggle(feature: string, on: boolean): Write {
    return {
      kind: 'feature',
      request: this.#byAdmin(`/api/accounts/${this.name}/features/${feature}`, on ? 'PUT' : 'DELETE'),
      after: { ...this.state, features: sorted({ ...this.state.features, [feature]: on }) },
    };
  }

  /** A password change ends all other sessions in the same transaction. */
  #changePassword(password: string): Write {
    return {
      kind: 'password',
      request: this.#own('/api/account/password', 'PUT', { password: this.state.password, new_password: password }),
      after: { ...this.state, password, sessions: this.#noSessions() },
    };
  }

  async #twofaOn(node: NodeProcess): Promise<Write> {
    const { body } = await this.#own('/api/account/2fa/setup', 'POST', { password: this.state.password })(node);
    this.#secret = String(body['secret']);
    this.#recovery = [];
    return {
      kind: 'second factor on',
      request: this.#own('/api/account/2fa/confirm', 'POST', { code: new TOTP({ secret: this.#secret }).generate() }),
      after: { ...this.state, hasTwofa: true, sessions: this.#noSessions() },
      keep: (reply) => (this.#recovery = reply['recovery_codes'] as string[]),
    };
  }

  /** Uses a recovery code, or the app's next code when the node died before it returned any. */
  #twofaOff(): Write {
    const code = this.#recovery[0] ?? new TOTP({ secret: this.#secret }).generate({ timestamp: Date.now() + 30_000 });
    return {
      kind: 'second factor off',
      request: this.#own('/api/account/2fa', 'DELETE', { password: this.state.password, code }),
      after: { ...this.state, hasTwofa: false, sessions: this.#noSessions() },
    };
  }

  #login(): Write {
    const request: Write['request'] = (node) =>
      node.ask('/api/login', { method: 'POST', body: { username: this.name, password: this.state.password } });
    const keep = ({ token }: Record<string, unknown>) => void this.#sessions.push(String(token));
    return { kind: 'login', request, keep, after: { ...this.state, sessions: [...this.state.sessions, true] } };
  }

  #logout(i: number): Write {
    return {
      kind: 'logout',
      request: (node) => node.ask('/api/logout', { method: 'POST', token: this.#sessions[i] ?? '' }),
      after: { ...this.state, sessions: this.state.sessions.with(i, false) },
    };
  }

  #noSessions(): boolean[] {
    return this.state.sessions.map(() => false);
  }
}
