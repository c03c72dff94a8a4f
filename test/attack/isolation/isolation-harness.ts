import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { PASSWORD } from '../../support/hostkeep.ts';
import { byRoute } from '../../support/plugin-rows.ts';
import { until } from '../../support/until.ts';
import { Coverage } from '../target/coverage.ts';
import { headerOf, type RawResponse } from '../target/response-reader.ts';
import { operationsOf, type Operation } from '../target/api-description.ts';
import { markedEngine } from '../target/marked-engine.ts';
import { sendJson, createTenant, openSession, type TenantFixture } from './tenant-fixture.ts';
import { comparable, namingRequests, plainReads, type CrossTenantRequest } from './cross-tenant-request.ts';
import { jsonOf } from '../target/response-reader.ts';
import { OPEN_THROTTLE, TargetServer, type Target } from '../target/target-server.ts';

const [OWNER, STRANGER, ABSENT] = ['zqalpha', 'zqbravo', 'zqgamma'] as const;
const CONCURRENCY = 16;
/** Headers that change with time, with the request id, or with members that do. */
const VOLATILE_HEADERS: ReadonlySet<string> = new Set([
  ...['date', 'age', 'last-modified', 'content-length', 'etag', 'x-request-id'],
  'x-accel-buffering', // for proxies: an empty stream that another node forwards has none
]);
/** A tenant that does not exist. */
const absent = { mark: ABSENT, secrets: [0, 1].map(() => randomBytes(16).toString('base64url')) };

export interface RecordedReply {
  readonly request: CrossTenantRequest;
  readonly text: string;
}

/** Handles requests to a container engine in which each tenant has a container. */
export const engineOfTenants = () =>
  markedEngine([
    { username: OWNER, mark: OWNER },
    { username: STRANGER, mark: STRANGER },
  ]);

/** A server, or the nodes of a fleet, with two tenants and an administrator. */
export class IsolationHarness {
  readonly #nodes: readonly Target[];
  /** The node that is asked. */
  target: Target;
  readonly operations: readonly Operation[];
  readonly owner: TenantFixture;
  readonly stranger: TenantFixture;
  readonly admin: string;
  readonly coverage: Coverage;
  /** Names of the owner's things that the stranger has sent. */
  readonly #given = new Set<string>();
  /** Operations whose replies repeat what the account has sent. */
  readonly #repeating: ReadonlySet<string>;

  private constructor(
    nodes: readonly [Target, ...Target[]],
    operations: readonly Operation[],
    tenants: { owner: TenantFixture; stranger: TenantFixture; admin: string },
    repeating: ReadonlySet<string>,
  ) {
    this.#repeating = repeating;
    this.#nodes = nodes;
    this.target = nodes[0];
    this.operations = operations;
    this.owner = tenants.owner;
    this.stranger = tenants.stranger;
    this.admin = tenants.admin;
    this.coverage = new Coverage(operations);
  }

  /** The owner lives at the first of the nodes, the stranger at the last; the first is asked. */
  static async start(given?: readonly [Target, ...Target[]]): Promise<IsolationHarness> {
    const nodes = given ?? [await TargetServer.start(OPEN_THROTTLE, engineOfTenants())];
    const [target] = nodes;
    try {
      const { accounts, passwords } = target.core;
      const hash = await passwords.hash(PASSWORD);
      const owner = await createTenant(target, OWNER, hash);
      const stranger = await createTenant(nodes.at(-1) ?? target, STRANGER, hash);
      const admin = await openSession(target, await accounts.get('operator'));
      const documents = [
        ['user', owner.token],
        ['admin', admin],
      ] as const;
      const operations = await Promise.all(
        documents.map(async ([address, token]) =>
          operationsOf(
            address,
            jsonOf(await sendJson(target, address, token, 'GET', '/openapi.json')) as Parameters<
              typeof operationsOf
            >[1],
          ),
        ),
      );
      const repeating = await byRoute(({ isolation }) =>
        Object.fromEntries((isolation?.repeatingOwn ?? []).map((name) => [name, true])),
      );
      const repeated = new Set([...repeating.keys()].map((id) => `user ${id}`));
      const harness = new IsolationHarness(nodes, operations.flat(), { owner, stranger, admin }, repeated);
      await harness.#warm();
      return harness;
    } catch (error) {
      for (const node of nodes) await node.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const node of this.#nodes) await node.stop();
  }

  get reads(): CrossTenantRequest[] {
    return plainReads(this.operations.filter(({ address, isGuest }) => address === 'user' && !isGuest));
  }

  /**
   * Sends a request; on 503, or with a part that is not there yet, retries after the delay that the response names, for
   * longer than an account's files are avoided that did not answer.
   */
  async send(
    request: Pick<CrossTenantRequest, 'operation' | 'method' | 'path' | 'body'>,
    token: string,
    tries = 20,
  ): Promise<RawResponse> {
    const received = await sendJson(
      this.target,
      request.operation.address,
      token,
      request.method,
      request.path,
      request.body,
    );
    this.coverage.count(request.operation, received.status);
    const isLate = received.status === 503 || /"stale":(?:\["|true)/.test(received.body.toString());
    if (!isLate || tries === 1) return received;
    await delay(Math.min(5, Number(headerOf(received, 'retry-after') ?? 2)) * 1000);
    return this.send(request, token, tries - 1);
  }

  /** Records everything that an account can read about itself. */
  async ownAnswers(tenant: TenantFixture): Promise<RecordedReply[]> {
    const own = namingRequests(this.operations, tenant).filter(
      ({ method, operation }) => method === 'GET' && operation.address === 'user',
    );
    return this.#each([...this.reads, ...own], async (request) => ({
      request,
      text: comparableText(await this.send(request, tenant.token)),
    }));
  }

  /** Repeats recorded reads, several at a time. Rejects if a reply differs. */
  async assertSame(tenant: TenantFixture, before: readonly RecordedReply[], when: string): Promise<void> {
    await this.#each(before, async ({ request, text }) => {
      const now = comparableText(await this.send(request, tenant.token));
      if (now !== text)
        throw new Error(
          `${when}, ${request.method} ${request.path} gives ${tenant.mark} another reply\nbefore ${text}\nnow    ${now}`,
        );
    });
  }

  /**
   * Sends as the stranger each request that names a thing of the owner, and its twin that names a thing of the absent
   * tenant. Rejects if the two replies differ. Returns the number of pairs.
   */
  async compareNames(tag?: string): Promise<number> {
    const operations = this.operations.filter((each) =>
      tag === undefined ? each.address === 'user' : each.id.endsWith(tag),
    );
    const [taken, free] = [namingRequests(operations, this.owner), namingRequests(operations, absent)];
    const telling = await byRoute(({ isolation }) =>
      Object.fromEntries((isolation?.tellingTaken ?? []).map((name) => [name, true])),
    );
    for (const [i, request] of taken.entries()) {
      const response = await this.#sendAndUndo(request);
      if (telling.has(request.operation.id.slice('user '.length))) {
        this.assertNothingOf(this.owner, request, response);
        continue;
      }
      const twin = free[i] as CrossTenantRequest;
      const [existing, missing] = [comparableText(response), comparableText(await this.#sendAndUndo(twin))];
      if (this.#asAbsent(existing) !== missing)
        throw new Error(
          `${request.method} ${request.path} ${JSON.stringify(request.body ?? '')} reveals to a stranger that the thing exists\nexisting ${existing}\nmissing  ${missing}`,
        );
    }
    return taken.length;
  }

  /** Logs in with a wrong password, with and without a code, as the owner and as the absent tenant. */
  async compareLogins(): Promise<void> {
    for (const address of ['user', 'admin'] as const) {
      for (const rest of [{}, { twofa_code: '000000' }]) {
        const [existing, missing] = await Promise.all(
          [OWNER, ABSENT].map((username) =>
            sendJson(this.target, address, undefined, 'POST', '/api/login', {
              username,
              password: 'wrong horse battery',
              ...rest,
            }),
          ),
        );
        if (existing === undefined || missing === undefined || comparableText(existing) !== comparableText(missing))
          throw new Error(`a login on the ${address} address reveals whether the account exists`);
      }
    }
  }

  /** Removes the favorite, the files or the task that the request made for the stranger, so that later replies stay comparable. */
  async #sendAndUndo(request: CrossTenantRequest): Promise<RawResponse> {
    for (const name of request.named) this.#given.add(name);
    const response = await this.send(request, this.stranger.token);
    if (request.method === 'PUT' && request.path === '/api/favorites')
      await this.send(
        { ...request, method: 'DELETE', body: { link: (request.body as { link?: unknown }).link } },
        this.stranger.token,
      );
    if (request.method !== 'GET' && request.path.startsWith('/api/files')) {
      if (response.status === 202) await this.#forgetTasks();
      const { filesRoot } = this.stranger.account;
      for (const name of await readdir(filesRoot))
        if (name.includes(OWNER) || name.includes(ABSENT)) await rm(join(filesRoot, name), { recursive: true });
    }
    return response;
  }

  /** Waits until what the stranger has begun has ended, and removes it: its list has the names that the stranger gave. */
  async #forgetTasks(): Promise<void> {
    const { local } = (this.#nodes.at(-1) ?? this.target).core;
    const { id } = this.stranger.account;
    const running = "select 1 from file_tasks where account_id = ? and state = 'running'";
    await until('its tasks have ended', async () => (await local.get(running, id)) === undefined);
    await local.write((tx) => tx.run('delete from file_tasks where account_id = ?', id));
  }

  /** Rejects if a reply to another account contains anything of a tenant that the request did not name. */
  assertNothingOf(
    { mark, secrets }: TenantFixture,
    { operation, path, method, named }: Pick<CrossTenantRequest, 'operation' | 'path' | 'method' | 'named'>,
    response: RawResponse,
  ): void {
    const given = this.#repeating.has(operation.id) ? [...this.#given].filter((each) => each !== mark) : [];
    const text = [...named, ...given.toSorted((a, b) => b.length - a.length)].reduce(
      (rest, each) => rest.replaceAll(each, '').replaceAll(each.toLowerCase().replace(/[/.]$/, ''), ''),
      response.body.toString() + JSON.stringify(response.headers),
    );
    const found = [mark, ...secrets].find(
      (each) => !named.includes(each) && text.toLowerCase().includes(each.toLowerCase()),
    );
    if (found !== undefined)
      throw new Error(`${method} ${path} gives a stranger ${found}\n${comparableText(response)}`);
  }

  async #each<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    const queue = [...list.entries()];
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
      }),
    );
    return results;
  }

  /** Replaces the owner's names in a reply by those of the absent tenant. */
  #asAbsent(text: string): string {
    const names = [
      [OWNER, ABSENT],
      [OWNER.toUpperCase(), ABSENT.toUpperCase()],
      ...this.owner.secrets.slice(-2).map((secret, i) => [secret, absent.secrets[i] ?? ''] as const),
    ] as const;
    return names.reduce((rest, [owners, absents]) => rest.replaceAll(owners, absents), text);
  }

  /** Waits until the indexes and samples made in the background exist. */
  async #warm(): Promise<void> {
    for (const { mark, token } of [this.owner, this.stranger])
      await until(`the index and the samples of ${mark} exist`, async () => {
        const files = await sendJson(this.target, 'user', token, 'GET', `/api/search/files?q=${mark}`);
        const stats = await sendJson(this.target, 'user', token, 'GET', '/api/docker_stats');
        return headerOf(files, 'x-hostkeep-index') === 'ready' && stats.status === 200;
      });
  }
}

/** Returns a reply as text, without what changes with time. */
function comparableText({ status, headers, body }: RawResponse): string {
  return `${status} ${JSON.stringify(headers.filter(([name]) => !VOLATILE_HEADERS.has(name)))} ${comparable(body.toString('latin1'))}`;
}
