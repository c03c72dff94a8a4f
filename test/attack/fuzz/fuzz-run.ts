import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Address } from '../../../kernel/contract/route-spec.ts';
import { eventually } from '../../support/until.ts';
import { methodsByPath, operationsOf, type Operation } from '../target/api-description.ts';
import { Coverage } from '../target/coverage.ts';
import { markedEngine } from '../target/marked-engine.ts';
import { BrokenResponse, type RawClient, type RawRequest } from '../target/raw-client.ts';
import { codeOf, jsonOf, type RawResponse } from '../target/response-reader.ts';
import { TargetServer } from '../target/target-server.ts';
import { Oracle } from './oracle.ts';
import { curlOf, prepareRequest, type PreparedRequest } from './prepared-request.ts';
import { requestTemplates, validRequest } from './request-generator.ts';
import type { RequestTemplate } from './request-template.ts';
import { newAccount, PLAN, SITE, SMALL_PLAN, TestAccounts, type TestAccount } from './test-accounts.ts';
import { ValuePool } from './value-pool.ts';

const CONCURRENCY = 8;
const BATCH = 50;
/** Every so many batches all accounts are repaired, also those without a recorded loss. */
const FULL_REPAIR_EVERY = 10;
/** Time for the server's log of a fault to arrive. */
const LOG_MS = 300;
const SHRINK_MS = 30_000;
/** How often a download is asked for that others break off. */
const ATTEMPTS = 4;
/** Operations that hash a password cost 50 ms of a processor, so they are drawn less often. */
const COSTLY = /login|password|Twofa$|createAccount|reauthenticate/i;

/** Reserved accounts: no request names them, so one administrator and one account with known content always remain. */
const RESERVED_ADMIN = 'warden';
const RESERVED_WRITER = 'keeper';

/** A server, the accounts that send requests to it, and the operations that it describes. */
export class FuzzRun {
  readonly target: TargetServer;
  readonly operations: readonly Operation[];
  readonly coverage: Coverage;
  /** The reserved account whose writes are recorded. */
  readonly writer: TestAccount;
  readonly #accounts: TestAccounts;
  readonly #oracle: Oracle;
  readonly #pool = new ValuePool([RESERVED_ADMIN, RESERVED_WRITER, PLAN, SMALL_PLAN]);
  #batches = 0;

  private constructor(
    target: TargetServer,
    operations: readonly Operation[],
    accounts: TestAccounts,
    writer: TestAccount,
  ) {
    this.target = target;
    this.operations = operations;
    this.coverage = new Coverage(operations);
    this.writer = writer;
    this.#accounts = accounts;
    this.#oracle = new Oracle(methodsByPath(operations), target.forbidden);
  }

  static async start(settings: Record<string, unknown>): Promise<FuzzRun> {
    const target = await TargetServer.start(settings, markedEngine([{ username: 'demo', mark: 'demo-container' }]));
    try {
      const writer = newAccount(RESERVED_WRITER, 'user', PLAN);
      const accounts = new TestAccounts(target.core, [
        newAccount('demo', 'user', PLAN),
        newAccount('mallory', 'user', PLAN),
        newAccount('other', 'user', SMALL_PLAN),
        newAccount('operator', 'admin', ''),
        newAccount('trudy', 'admin', ''),
        newAccount(RESERVED_ADMIN, 'admin', ''),
        writer,
      ]);
      await accounts.repair(true);
      const operations = [
        ...(await describedOperations(target, 'user', accounts.list[0])),
        ...(await describedOperations(target, 'admin', accounts.list[3])),
      ];
      return new FuzzRun(target, operations, accounts, writer);
    } catch (error) {
      await target.stop();
      throw error;
    }
  }

  /**
   * Sends about `requests` requests. At the first forbidden response, rejects with the seed, the request and a curl
   * command that repeats it.
   */
  send(requests: number, seed: number, operations: readonly Operation[] = this.operations): Promise<void> {
    const template = fc.oneof(
      ...operations.map((each) => ({
        weight: COSTLY.test(each.id) ? 1 : 3,
        arbitrary: requestTemplates(each, this.operations),
      })),
    );
    return this.#sendAll(requests, seed, template);
  }

  /** Sends valid requests only, and only for these operations, each of which is as likely. */
  sendValid(requests: number, seed: number, operations: readonly Operation[]): Promise<void> {
    return this.#sendAll(requests, seed, fc.oneof(...operations.map(validRequest)));
  }

  async #sendAll(requests: number, seed: number, template: fc.Arbitrary<RequestTemplate>): Promise<void> {
    const before = this.coverage.requests;
    let failedAt: number | undefined;
    const property = fc.asyncProperty(
      fc.array(template, { minLength: 1, maxLength: BATCH, size: 'max' }),
      async (templates) => {
        if (this.coverage.requests - before >= requests && failedAt === undefined) return;
        if (failedAt !== undefined && performance.now() - failedAt > SHRINK_MS) return;
        try {
          await this.#sendBatch(templates);
        } catch (error) {
          failedAt ??= performance.now();
          throw error;
        }
      },
    );
    for (let round = 0; this.coverage.requests - before < requests; round += 1) {
      const details = await fc.check(property, { seed: seed + round, numRuns: Math.ceil(requests / (BATCH / 2)) });
      if (details.failed)
        throw new Error(
          `seed ${seed + round}, path ${details.counterexamplePath ?? ''}\n${messageOf(details.errorInstance)}`,
        );
    }
  }

  /** Gives customers the files back that requests took away. */
  restoreFiles(): Promise<void> {
    return this.#accounts.restoreFiles();
  }

  /** Gives the domain of the application to the first account, which may see its sites, no matter which has it. */
  async restoreSite(): Promise<void> {
    await this.#accounts.repair(true);
    for (const account of this.#accounts.list.filter(({ role }) => role === 'user')) {
      const { domains = [] } = await eventually(
        `the domains of ${account.username}`,
        async () => (await this.#ask(account, 'GET', '/api/domains')) as { domains?: { domain_url: string }[] },
        ({ domains: found }) => found !== undefined, // what was generated may keep the server busy for a while
      );
      for (const { domain_url: name } of domains)
        if (name === SITE || name.endsWith(`.${SITE}`))
          await this.#ask(account, 'POST', '/api/domains/delete', { domain_url: name, with_subdomains: true });
    }
    await this.#ask(this.#accounts.list[0], 'POST', '/api/domains/new', { domain_url: SITE });
  }

  async #ask(account: TestAccount | undefined, method: string, target: string, body?: unknown): Promise<unknown> {
    const response = await this.target.clients.user.send({
      method,
      target,
      headers: [
        ['Host', 'localhost'],
        ['Authorization', `Bearer ${account?.token ?? ''}`],
        ['Content-Type', 'application/json'],
      ],
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    });
    return jsonOf(response);
  }

  async #sendBatch(templates: readonly RequestTemplate[]): Promise<void> {
    await this.#accounts.repair((this.#batches += 1) % FULL_REPAIR_EVERY === 0);
    const queue = [...templates];
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) await this.#sendOne(next);
      }),
    );
    const failure = this.target.failure();
    if (failure !== undefined) throw new Error(failure);
  }

  async #sendOne(template: RequestTemplate): Promise<void> {
    const { address } = template.operation;
    const client = this.target.clients[address];
    const { host } = new URL(client.url);
    const request = prepareRequest(template, this.#sender(template), this.#otherRole(address), this.#pool, host);
    let response: RawResponse;
    try {
      response = await sendUntilWhole(client, request);
    } catch (error) {
      throw new Error(`${messageOf(error)}\n${this.target.failure() ?? ''}\n${describe(request, client.url)}`, {
        cause: error,
      });
    }
    this.coverage.count(template.operation, response.status);
    const verdict = this.#oracle.verdict(request, response);
    if (verdict !== undefined && response.status >= 500) await delay(LOG_MS);
    if (verdict !== undefined)
      throw new Error(
        [
          verdict,
          this.target.failure() ?? '',
          describe(request, client.url),
          `${response.status} ${response.headers.map((each) => each.join(': ')).join('; ')}`,
          response.body.toString().slice(0, 1000),
        ].join('\n'),
      );
    this.#learn(request, response);
  }

  #sender({ operation: { address, features }, nthAccount }: RequestTemplate): TestAccount {
    const [demo, mallory, other, operator, trudy] = this.#accounts.list;
    const isEven = nthAccount % 2 === 0;
    const ofUsers = nthAccount % 10 === 0 ? other : isEven ? demo : mallory;
    const ofAdmins = features.length > 0 && nthAccount % 3 === 0 ? demo : isEven ? operator : trudy;
    return (address === 'user' ? ofUsers : ofAdmins) as TestAccount;
  }

  #otherRole(address: Address): TestAccount {
    return this.#accounts.list[address === 'user' ? 3 : 1] as TestAccount;
  }

  /** Records what a response reveals about existing things and about the state of its account. */
  #learn({ template, account, json, target }: PreparedRequest, response: RawResponse): void {
    const { status } = response;
    const code = status < 400 ? '' : codeOf(response);
    if (code === 'authentication_required' || (code === 'feature_disabled' && account.plan === PLAN))
      account.tokenLost = true;
    if (code === 'invalid_credentials')
      account.credentialsUnknown ||= ((json ?? {}) as { password?: unknown }).password === account.password;
    if (code === 'invalid_code') account.credentialsUnknown ||= account.secret !== '' && template.flaw === 'none';
    if (status >= 300 || template.method === 'HEAD') return;
    const body = jsonOf(response);
    if (template.operation.tag !== 'openapi') this.#pool.collect(account.username, target.split('?')[0] ?? '', body);
    const { secret, recovery_codes: codes } = (body ?? {}) as { secret?: string; recovery_codes?: string[] };
    if (secret !== undefined && /twofa/i.test(template.operation.id)) account.secret = secret;
    if (codes !== undefined) account.recoveryCodes = [...codes];
    const { new_password: password } = (json ?? {}) as { new_password?: string };
    if (/password/i.test(template.operation.id) && typeof password === 'string') account.password = password;
    if (/logout$/i.test(template.operation.id)) account.tokenLost = true;
  }
}

/**
 * Another request may break a download off, as it ends the session or removes the backup that is read. Asked for again, it
 * is whole or refused.
 */
async function sendUntilWhole(client: RawClient, request: RawRequest): Promise<RawResponse> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await client.send(request);
    } catch (error) {
      if (!(error instanceof BrokenResponse) || request.method !== 'GET' || attempt === ATTEMPTS) throw error;
    }
}

async function describedOperations(
  target: TargetServer,
  address: Address,
  account: TestAccount | undefined,
): Promise<Operation[]> {
  const response = await target.clients[address].send({
    method: 'GET',
    target: '/openapi.json',
    headers: [
      ['Host', 'localhost'],
      ['Authorization', `Bearer ${account?.token ?? ''}`],
    ],
  });
  return operationsOf(address, jsonOf(response) as Parameters<typeof operationsOf>[1]);
}

function describe(request: PreparedRequest, url: string): string {
  const { template, account } = request;
  return `${template.operation.id}, as ${account.username}, flaw: ${template.flaw}\n${curlOf(request, url)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
