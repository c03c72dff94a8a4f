import type { Part } from './part.ts';
import { Siege } from './siege.ts';

const WHOLE = 3000;
/** What proves a password or a code. */
const PROVING = /login$|password$|Twofa$/i;

/** Requests for what the throttle guards, with the limits that a server has unless told otherwise. */
export const throttled: Part = {
  title: 'what asks for passwords and codes, under the usual throttle',
  async run(share, seed = 0) {
    const siege = await Siege.start({});
    try {
      await siege.run(
        Math.ceil(WHOLE * share),
        seed,
        siege.operations.filter(({ id }) => PROVING.test(id)),
      );
      const refused = siege.census.total((status) => status === 429);
      if (refused === 0)
        throw new Error(`seed ${seed}: none of ${siege.census.requests} requests was answered with 429`);
      return [`${siege.census.requests} requests, ${refused} of them told to come back later`];
    } finally {
      await siege.target.stop();
    }
  },
};
