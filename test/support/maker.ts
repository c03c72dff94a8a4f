import { setTimeout as delay } from 'node:timers/promises';
import { HttpError } from '../../kernel/errors.ts';
import { definePlugin } from '../../kernel/contract/plugin.ts';
import { NamedObject, Type } from '../../kernel/schema.ts';
import { LIMIT_MS } from './until.ts';

const Thing = NamedObject('Thing', { name: Type.String() });

/** A plugin whose route makes things, and keeps what it answered to an Idempotency-Key. */
export class Maker {
  /** Names of what was made, or tried, in order. */
  readonly made: string[] = [];
  /** Whether making fails. */
  isBroken = false;
  #waiting: (() => void)[] = [];

  readonly plugin = definePlugin({
    name: 'maker',
    features: ['dns'],
    routes: {
      make: {
        method: 'POST',
        path: '/api/things',
        idempotencyKey: 'kept',
        summary: 'Make a thing; one that is named wait waits for `release`',
        query: Type.Object({ of: Type.Optional(Type.String()) }),
        body: Thing,
        reply: NamedObject('MadeThing', { name: Type.String(), count: Type.Integer() }),
        status: 201,
      },
      secret: {
        method: 'POST',
        path: '/api/secrets',
        idempotencyKey: 'refused',
        summary: 'Make a secret',
        reply: Thing,
      },
    },
    setup: () => ({
      handlers: {
        make: async ({ body: { name } }) => {
          if (name === 'wait') await this.#released();
          this.made.push(name);
          if (this.isBroken) throw new HttpError('feature_unavailable', 'not now');
          return { name, count: this.made.length };
        },
        secret: () => ({ name: 'shown once' }),
      },
    }),
  });

  /** How many requests wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  release(): void {
    for (const each of this.#waiting.splice(0)) each();
  }

  /** Forgets what was made before a test. */
  reset(): void {
    this.made.length = 0;
    this.isBroken = false;
  }

  #released(): Promise<void> {
    const released = new Promise<void>((resolve) => this.#waiting.push(resolve));
    return Promise.race([released, delay(LIMIT_MS, undefined, { ref: false })]); // a failed test releases nothing
  }
}
