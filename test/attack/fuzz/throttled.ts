import type { Part } from '../part.ts';
import { FuzzRun } from './fuzz-run.ts';

const WHOLE = 9000;
/** Operations that verify a password or a code. */
const VERIFYING = /^\w+ login\..*(?:login|password|Twofa)$/i;

/** Requests for the operations behind the throttle, with its default limits. */
export const throttled: Part = {
  title: 'operations that verify passwords and codes, with the default throttle',
  async run(share, seed) {
    const fuzz = await FuzzRun.start({});
    try {
      await fuzz.send(
        Math.ceil(WHOLE * share),
        seed,
        fuzz.operations.filter(({ id }) => VERIFYING.test(id)),
      );
      const refused = fuzz.coverage.total((status) => status === 429);
      if (refused === 0) throw new Error(`seed ${seed}: none of ${fuzz.coverage.requests} requests returned 429`);
      return [`${fuzz.coverage.requests} requests, ${refused} of them refused with 429`];
    } finally {
      await fuzz.target.stop();
    }
  },
};
