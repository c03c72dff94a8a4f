import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Address } from '../../kernel/plugin-api/route-spec.ts';
import { actorOf, Cast, PLAN, SMALL_PLAN, type Actor } from './cast.ts';
import { Census } from './census.ts';
import type { Received } from './client.ts';
import { methodsByPath, operationsOf, type Operation } from './description.ts';
import { draftOf, type Draft } from './draft.ts';
import { engineFor } from './engine.ts';
import { Harvest } from './harvest.ts';
import { codeOf, jsonOf, Judge } from './judge.ts';
import { curlOf, questionOf, type Question } from './question.ts';
import { Target } from './target.ts';

const AT_ONCE = 8;
const BATCH = 50;
/** Batches after which everybody is looked at, also those who have not complained. */
const LOOK_EVERY = 10;
/** Until what the server logged of a fault is here. */
const LOG_MS = 300;
const SHRINK_MS = 30_000;
/** Operations that hash a password cost fifty milliseconds of a processor; they are asked less often. */
const COSTLY = /login|password|Twofa$|createAccount/i;

/** Nobody's names: those that the attack is never told of. */
export const WARDEN = 'warden';
export const KEEPER = 'keeper';

/** A server, those who ask it, and all that can be asked. */
export class Siege {
  readonly target: Target;
  readonly operations: readonly Operation[];
  readonly census: Census;
  readonly keeper: Actor;
  readonly #cast: Cast;
  readonly #judge: Judge;
  readonly #harvest = new Harvest([WARDEN, KEEPER, PLAN, SMALL_PLAN]);
  #batches = 0;

  private constructor(target: Target, operations: readonly Operation[], cast: Cast, keeper: Actor) {
    this.target = target;
    this.operations = operations;
    this.census = new Census(operations);
    this.keeper = keeper;
    this.#cast = cast;
    this.#judge = new Judge(methodsByPath(operations), target.forbidden);
  }

  static async start(settings: Record<string, unknown>): Promise<Siege> {
    const target = await Target.start(settings, engineFor([{ username: 'demo', mark: 'demo-container' }]));
    try {
      const keeper = actorOf(KEEPER, 'user', PLAN);
      const actors = [
        actorOf('demo', 'user', PLAN),
        actorOf('mallory', 'user', PLAN),
        actorOf('other', 'user', SMALL_PLAN),
        actorOf('operator', 'admin', ''),
        actorOf('trudy', 'admin', ''),
        actorOf(WARDEN, 'admin', ''),
        keeper,
      ];
      const cast = new Cast(target.core, actors);
      await cast.repair(true);
      const operations = [
        ...(await describedTo(target, 'user', actors[0])),
        ...(await describedTo(target, 'admin', actors[3])),
      ];
      return new Siege(target, operations, cast, keeper);
    } catch (error) {
      await target.stop();
      throw error;
    }
  }

  /** Makes about so many requests. Rejects with the seed, the request and a command that repeats it when one is answered as none may be. */
  async run(requests: number, seed: number, operations: readonly Operation[] = this.operations): Promise<void> {
    const draft = fc.oneof(
      ...operations.map((each) => ({
        weight: COSTLY.test(each.id) ? 1 : 3,
        arbitrary: draftOf(each, this.operations),
      })),
    );
    const before = this.census.requests;
    let failedAt: number | undefined;
    const property = fc.asyncProperty(
      fc.array(draft, { minLength: 1, maxLength: BATCH, size: 'max' }),
      async (drafts) => {
        if (this.census.requests - before >= requests && failedAt === undefined) return;
        if (failedAt !== undefined && performance.now() - failedAt > SHRINK_MS) return;
        try {
          await this.#batch(drafts);
        } catch (error) {
          failedAt ??= performance.now();
          throw error;
        }
      },
    );
    for (let round = 0; this.census.requests - before < requests; round += 1) {
      const details = await fc.check(property, { seed: seed + round, numRuns: Math.ceil(requests / (BATCH / 2)) });
      if (details.failed)
        throw new Error(
          `seed ${seed + round}, path ${details.counterexamplePath ?? ''}\n${messageOf(details.errorInstance)}`,
        );
    }
  }

  async #batch(drafts: readonly Draft[]): Promise<void> {
    await this.#cast.repair((this.#batches += 1) % LOOK_EVERY === 0);
    const queue = [...drafts];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let draft = queue.shift(); draft !== undefined; draft = queue.shift()) await this.#ask(draft);
      }),
    );
    const complaint = this.target.complaint();
    if (complaint !== undefined) throw new Error(complaint);
  }

  async #ask(draft: Draft): Promise<void> {
    const { address } = draft.operation;
    const client = this.target.clients[address];
    const question = questionOf(
      draft,
      this.#asker(draft),
      this.#other(address),
      this.#harvest,
      new URL(client.url).host,
    );
    let received: Received;
    try {
      received = await client.send(question);
    } catch (error) {
      throw new Error(`${messageOf(error)}\n${this.target.complaint() ?? ''}\n${told(question, client.url)}`, {
        cause: error,
      });
    }
    this.census.count(draft.operation, received.status);
    const verdict = this.#judge.verdict(question, received);
    if (verdict !== undefined && received.status >= 500) await delay(LOG_MS);
    if (verdict !== undefined)
      throw new Error(
        `${verdict}\n${this.target.complaint() ?? ''}\n${told(question, client.url)}\n${received.status} ${received.headers.map((each) => each.join(': ')).join('; ')}\n${received.body.toString().slice(0, 1000)}`,
      );
    this.#learn(question, received);
  }

  #asker({ operation: { address, features }, who }: Draft): Actor {
    const [demo, mallory, other, operator, trudy] = this.#cast.actors as [Actor, Actor, Actor, Actor, Actor];
    if (address === 'user') return who % 10 === 0 ? other : who % 2 === 0 ? demo : mallory;
    return features.length > 0 && who % 3 === 0 ? demo : who % 2 === 0 ? operator : trudy;
  }

  #other(address: Address): Actor {
    return this.#cast.actors[address === 'user' ? 3 : 1] as Actor;
  }

  /** What an answer says of the world, and of who asked. */
  #learn({ draft, actor, json, target }: Question, received: Received): void {
    const { status } = received;
    const code = status < 400 ? '' : codeOf(received);
    if (code === 'authentication_required' || (code === 'feature_disabled' && actor.plan === PLAN)) actor.isWorn = true;
    if (code === 'invalid_credentials')
      actor.isDoubtful ||= ((json ?? {}) as { password?: unknown }).password === actor.password;
    if (code === 'invalid_code') actor.isDoubtful ||= actor.secret !== '' && draft.flaw === 'none';
    if (status >= 300 || draft.method === 'HEAD') return;
    const body = jsonOf(received);
    if (draft.operation.tag !== 'openapi') this.#harvest.read(actor.username, target.split('?')[0] ?? '', body);
    const { secret, recovery_codes: codes } = (body ?? {}) as { secret?: string; recovery_codes?: string[] };
    if (secret !== undefined) actor.secret = secret;
    if (codes !== undefined) actor.recoveryCodes = [...codes];
    const { new_password: password } = (json ?? {}) as { new_password?: string };
    if (/password/i.test(draft.operation.id) && typeof password === 'string') actor.password = password;
    if (/logout$/i.test(draft.operation.id)) actor.isWorn = true;
  }
}

async function describedTo(target: Target, address: Address, actor: Actor | undefined): Promise<Operation[]> {
  const received = await target.clients[address].send({
    method: 'GET',
    target: '/openapi.json',
    headers: [
      ['Host', 'localhost'],
      ['Authorization', `Bearer ${actor?.token ?? ''}`],
    ],
  });
  return operationsOf(address, jsonOf(received) as Parameters<typeof operationsOf>[1]);
}

function told(question: Question, url: string): string {
  return `${question.draft.operation.id}, as ${question.actor.username}, broken: ${question.draft.flaw}\n${curlOf(question, url)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
