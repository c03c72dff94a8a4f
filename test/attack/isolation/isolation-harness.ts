import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { PASSWORD } from '../../support/hostkeep.ts';
import { Coverage } from '../target/coverage.ts';
import { headerOf, type RawResponse } from '../target/response-reader.ts';
import { operationsOf, type Operation } from '../target/api-description.ts';
import { markedEngine } from '../target/marked-engine.ts';
import { ask, createTenant, openSession, type TenantFixture } from './tenant-fixture.ts';
import { comparable, namingRequests, plainReads, type CrossTenantRequest } from './cross-tenant-request.ts';
import { jsonOf } from '../target/response-reader.ts';
import { OPEN_THROTTLE, TargetServer } from '../target/target-server.ts';

const [OWNER, STRANGER, NOBODY] = ['zqalpha', 'zqbravo', 'zqgamma'] as const;
const AT_ONCE = 16;
const WARM_MS = 20_000;
/** Header fields that tell of the time, or follow from the id of the request. */
const PASSING: ReadonlySet<string> = new Set(['date', 'age', 'last-modified', 'content-length']);
/** Somebody of whom there is nothing. */
const nobody = { mark: NOBODY, secrets: [0, 1].map(() => randomBytes(16).toString('base64url')) };

export interface RecordedReply {
  readonly request: CrossTenantRequest;
  readonly text: string;
}

/** A server with two filled accounts and an admin, and what each may ask. */
export class IsolationHarness {
  readonly target: TargetServer;
  readonly operations: readonly Operation[];
  readonly owner: TenantFixture;
  readonly stranger: TenantFixture;
  readonly admin: string;
  readonly coverage: Coverage;

  private constructor(
    target: TargetServer,
    operations: readonly Operation[],
    people: { owner: TenantFixture; stranger: TenantFixture; admin: string },
  ) {
    this.target = target;
    this.operations = operations;
    this.owner = people.owner;
    this.stranger = people.stranger;
    this.admin = people.admin;
    this.coverage = new Coverage(operations);
  }

  static async set(): Promise<IsolationHarness> {
    const target = await TargetServer.start(
      OPEN_THROTTLE,
      markedEngine([
        { username: OWNER, mark: OWNER },
        { username: STRANGER, mark: STRANGER },
      ]),
    );
    try {
      const { accounts, passwords } = target.core;
      const hash = await passwords.hash(PASSWORD);
      const [owner, stranger] = [await createTenant(target, OWNER, hash), await createTenant(target, STRANGER, hash)];
      const admin = await openSession(target, await accounts.get('operator'));
      const documents = [
        ['user', owner.token],
        ['admin', admin],
      ] as const;
      const operations = await Promise.all(
        documents.map(async ([address, token]) =>
          operationsOf(
            address,
            jsonOf(await ask(target, address, token, 'GET', '/openapi.json')) as Parameters<typeof operationsOf>[1],
          ),
        ),
      );
      const harness = new IsolationHarness(target, operations.flat(), { owner, stranger, admin });
      await harness.#warm();
      return harness;
    } catch (error) {
      await target.stop();
      throw error;
    }
  }

  get reads(): CrossTenantRequest[] {
    return plainReads(this.operations.filter(({ address }) => address === 'user'));
  }

  /** Where the server is busy, comes back when it says, a few times. */
  async ask(
    request: Pick<CrossTenantRequest, 'operation' | 'method' | 'path' | 'body'>,
    token: string,
    tries = 5,
  ): Promise<RawResponse> {
    const received = await ask(
      this.target,
      request.operation.address,
      token,
      request.method,
      request.path,
      request.body,
    );
    this.coverage.count(request.operation, received.status);
    if (received.status !== 503 || tries === 1) return received;
    await delay(Math.min(5, Number(headerOf(received, 'retry-after') ?? 1)) * 1000);
    return this.ask(request, token, tries - 1);
  }

  /** Everything that an account can read of its own, as it can be compared. */
  async ownAnswers(tenant: TenantFixture): Promise<RecordedReply[]> {
    const own = namingRequests(this.operations, tenant).filter(
      ({ method, operation }) => method === 'GET' && operation.address === 'user',
    );
    return this.#each([...this.reads, ...own], async (request) => ({
      request,
      text: told(await this.ask(request, tenant.token)),
    }));
  }

  /** Asks again what was asked before; all at once, with whatever else goes on. Rejects where an answer is another. */
  async assertSame(tenant: TenantFixture, before: readonly RecordedReply[], when: string): Promise<void> {
    await this.#each(before, async ({ request, text }) => {
      const now = told(await this.ask(request, tenant.token));
      if (now !== text)
        throw new Error(
          `${when}, ${request.method} ${request.path} answers ${tenant.mark} otherwise than before\nbefore ${text}\nnow    ${now}`,
        );
    });
  }

  /** The stranger names each thing of the owner, and then of nobody. Returns how many pairs were answered alike. */
  async compareNames(tag?: string): Promise<number> {
    const operations = this.operations.filter((each) =>
      tag === undefined ? each.address === 'user' : each.id.endsWith(tag),
    );
    const [taken, free] = [namingRequests(operations, this.owner), namingRequests(operations, nobody)];
    for (const [i, request] of taken.entries()) {
      const answer = await this.#askAndUndo(request);
      if (request.operation.id.endsWith('domains.add')) {
        // a name is unique on the server, and so whether it is taken can be known, but not by whom
        this.assertNothingOf(this.owner, request, answer);
        continue;
      }
      const twin = free[i] as CrossTenantRequest;
      const [ours, theirs] = [told(answer), told(await this.#askAndUndo(twin))];
      if (this.#disguised(ours) !== theirs)
        throw new Error(
          `${request.method} ${request.path} ${JSON.stringify(request.body ?? '')} tells a stranger that there is such a thing\nthere ${ours}\nnot   ${theirs}`,
        );
    }
    return taken.length;
  }

  /** A wrong password for the owner and for nobody, with a code and without. */
  async compareLogins(): Promise<void> {
    for (const address of ['user', 'admin'] as const) {
      for (const rest of [{}, { twofa_code: '000000' }]) {
        const [ours, theirs] = await Promise.all(
          [OWNER, NOBODY].map((username) =>
            ask(this.target, address, undefined, 'POST', '/api/login', {
              username,
              password: 'wrong horse battery',
              ...rest,
            }),
          ),
        );
        if (ours === undefined || theirs === undefined || told(ours) !== told(theirs))
          throw new Error(`a login on the ${address} address tells whether there is such an account`);
      }
    }
  }

  /** A favorite is the stranger's own, whatever it points to; it goes again, so that the next answer can be compared. */
  async #askAndUndo(request: CrossTenantRequest): Promise<RawResponse> {
    const answer = await this.ask(request, this.stranger.token);
    if (request.method === 'PUT' && request.path === '/api/favorites')
      await this.ask({ ...request, method: 'DELETE' }, this.stranger.token);
    return answer;
  }

  /** Rejects when an answer to somebody else holds anything of an account that the question did not name. */
  assertNothingOf(
    { mark, secrets }: TenantFixture,
    { path, method, named }: Pick<CrossTenantRequest, 'path' | 'method' | 'named'>,
    answer: RawResponse,
  ): void {
    const text = named.reduce(
      (rest, each) => rest.replaceAll(each, '').replaceAll(each.toLowerCase().replace(/[/.]$/, ''), ''),
      answer.body.toString() + JSON.stringify(answer.headers),
    );
    const found = [mark, ...secrets].find(
      (each) => !named.includes(each) && text.toLowerCase().includes(each.toLowerCase()),
    );
    if (found !== undefined) throw new Error(`${method} ${path} tells a stranger ${found}\n${told(answer)}`);
  }

  /** Does the same for each, several at once. */
  async #each<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    const queue = [...list.entries()];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
      }),
    );
    return results;
  }

  /** The answer about what is the owner's, as if it had been about what is nobody's. */
  #disguised(text: string): string {
    const names = [
      [OWNER, NOBODY],
      [OWNER.toUpperCase(), NOBODY.toUpperCase()],
      ...this.owner.secrets.slice(-2).map((secret, i) => [secret, nobody.secrets[i] ?? ''] as const),
    ] as const;
    return names.reduce((rest, [ours, theirs]) => rest.replaceAll(ours, theirs), text);
  }

  /** What is made in the background is there: indexes, samples, sites. */
  async #warm(): Promise<void> {
    for (const tenant of [this.owner, this.stranger]) {
      for (const end = performance.now() + WARM_MS; performance.now() < end; await delay(100)) {
        const files = await ask(this.target, 'user', tenant.token, 'GET', `/api/search/files?q=${tenant.mark}`);
        const stats = await ask(this.target, 'user', tenant.token, 'GET', '/api/docker_stats');
        if (headerOf(files, 'x-hostkeep-index') === 'ready' && stats.status === 200) break;
      }
    }
  }
}

/** An answer but for what changes with the time. */
function told({ status, headers, body }: RawResponse): string {
  return `${status} ${JSON.stringify(headers.filter(([name]) => !PASSING.has(name)))} ${comparable(body.toString('latin1'))}`;
}
