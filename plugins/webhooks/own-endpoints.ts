import { randomBytes } from 'node:crypto';
import { invalid } from '../../kernel/errors.ts';
import type { Keyring } from '../../kernel/identity/gate/keyring.ts';
import type { Reader, Tx } from '../../kernel/store/store.ts';
import { assertPublicHost } from './delivery/public-lookup.ts';
import { urlFault } from './delivery/endpoint-faults.ts';
import { fail } from './errors.ts';
import type { EndpointBody, EndpointChange, EndpointConfig } from './schema.ts';

/** The same bound as that of the configuration. */
const MOST = 20;
const CONTEXT = 'webhook';

/** An endpoint with the names under which it is known. */
export interface NamedEndpoint {
  /** Stands for the URL, which is not shown, because it may contain a secret. */
  readonly key: string;
  readonly label: string;
  readonly config: EndpointConfig;
  /** Whether it was added in the console, where it can be changed. */
  readonly isOwn: boolean;
}

interface Row {
  readonly id: number;
  readonly endpoint: string;
  readonly label: string;
  readonly events: string;
  readonly sealed: string;
}
/** The sealed part of an endpoint. */
type Sealed = Omit<EndpointConfig, 'events'>;

interface Parts {
  readonly keys: Pick<Keyring, 'seal' | 'unseal'>;
  /** The endpoints of the configuration. */
  readonly configured: readonly NamedEndpoint[];
  readonly allowPrivate: boolean;
  /** Whether the configuration allows any; otherwise there are none. */
  readonly isAllowed: boolean;
}

/** Reads the endpoints that administrators added. */
export async function readOwn(reader: Reader, keys: Pick<Keyring, 'unseal'>): Promise<NamedEndpoint[]> {
  const rows = await reader.all<Row>('select id, endpoint, label, events, sealed from webhook_endpoints order by id');
  return rows.map(({ id, endpoint, label, events, sealed }) => ({
    key: endpoint,
    label: `${label}#c${id}`,
    config: {
      ...(JSON.parse(keys.unseal(sealed, `${CONTEXT} ${endpoint}`)) as Sealed),
      events: JSON.parse(events) as string[],
    },
    isOwn: true,
  }));
}

/** Adds, changes and removes endpoints, each in a transaction of the caller. */
export class OwnEndpoints {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves with the endpoint, and its secret. Errors: 400 `invalid_request`; 409 `webhook_exists`, `webhook_not_editable`, `webhooks_full`. */
  async add(tx: Tx, { url, events }: EndpointBody): Promise<{ label: string; key: string; secret: string }> {
    if (!this.#parts.isAllowed)
      throw fail.webhook_not_editable(
        'the configuration allows no webhooks of the console: see webhooks.allow_console',
      );
    const own = await this.#own(tx);
    if (own.length >= MOST) throw fail.webhooks_full(`the console adds at most ${MOST} webhooks`);
    const found = this.#usable(url, own);
    const [key, secret] = [randomBytes(16).toString('hex'), newSecret()];
    const id = await tx.insert(
      'insert into webhook_endpoints (endpoint, label, events, sealed, created_at) values (?, ?, ?, ?, ?)',
      ...[key, found.host, JSON.stringify(events), this.#seal(key, { url: found.href, secret }), Date.now()],
    );
    return { label: `${found.host}#c${id}`, key, secret };
  }

  /** Resolves with its label. Errors: 400 `invalid_request`; 404 `webhook_not_found`; 409 `webhook_exists`, `webhook_not_editable`. */
  async change(tx: Tx, key: string, { url, events }: EndpointChange): Promise<string> {
    const own = await this.#own(tx);
    const { config } = this.#editable(key, own);
    const others = own.filter((each) => each.key !== key);
    const next = url === undefined ? config.url : this.#usable(url, others).href;
    await this.#write(tx, key, { ...config, url: next, events: events ?? config.events });
    return this.#editable(key, await this.#own(tx)).label;
  }

  /** Gives it a new secret, with which the one so far signs as well; resolves with it. Errors: as above. */
  async renewSecret(tx: Tx, key: string): Promise<{ label: string; secret: string }> {
    const { config, label } = this.#editable(key, await this.#own(tx));
    const secret = newSecret();
    await this.#write(tx, key, { ...config, secret, previous_secret: config.secret });
    return { label, secret };
  }

  /** Has only the newest secret sign; resolves with whether another one did. Errors: as above. */
  async forgetSecret(tx: Tx, key: string): Promise<{ label: string; isChanged: boolean }> {
    const { config, label } = this.#editable(key, await this.#own(tx));
    const { previous_secret: previous, ...rest } = config;
    if (previous !== undefined) await this.#write(tx, key, rest);
    return { label, isChanged: previous !== undefined };
  }

  /** Removes it with what waits for it. Errors: as above. */
  async remove(tx: Tx, key: string): Promise<string> {
    const { label } = this.#editable(key, await this.#own(tx));
    for (const table of ['webhook_endpoints', 'webhook_deliveries', 'webhook_state', 'webhook_attempts'])
      await tx.run(`delete from ${table} where endpoint = ?`, key);
    return label;
  }

  async #own(tx: Tx): Promise<NamedEndpoint[]> {
    return this.#parts.isAllowed ? readOwn(tx, this.#parts.keys) : [];
  }

  #editable(key: string, own: readonly NamedEndpoint[]): NamedEndpoint {
    const found = own.find((each) => each.key === key);
    if (found !== undefined) return found;
    if (this.#parts.configured.some((each) => each.key === key))
      throw fail.webhook_not_editable('this webhook stands in the configuration, under webhooks.endpoints');
    throw fail.webhook_not_found('there is no such webhook');
  }

  /** Returns a URL to which nothing is sent so far. */
  #usable(text: string, own: readonly NamedEndpoint[]): URL {
    const refuse = (message: string) => invalid('body', [{ path: '/url', message }]);
    const fault = urlFault(text, new Set());
    if (fault !== undefined) throw refuse(fault.replace(/^url /, ''));
    const url = new URL(text);
    try {
      if (!this.#parts.allowPrivate) assertPublicHost(url);
    } catch {
      throw refuse('leads to an address that is not public'); // the operator may allow it: webhooks.allow_private
    }
    const all = [...this.#parts.configured, ...own];
    if (all.some(({ config }) => new URL(config.url).href === url.href))
      throw fail.webhook_exists('another webhook has this URL');
    return url;
  }

  async #write(tx: Tx, key: string, { events, ...sealed }: EndpointConfig): Promise<void> {
    await tx.run(
      'update webhook_endpoints set label = ?, events = ?, sealed = ? where endpoint = ?',
      ...[new URL(sealed.url).host, JSON.stringify(events), this.#seal(key, sealed), key],
    );
  }

  #seal(key: string, sealed: Sealed): string {
    return this.#parts.keys.seal(JSON.stringify(sealed), `${CONTEXT} ${key}`);
  }
}

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
