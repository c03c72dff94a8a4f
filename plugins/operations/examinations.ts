import { Polled } from '../../kernel/kit/waiting/polled.ts';
import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import type { Static } from '../../kernel/schema.ts';
import type { DoctorReport } from './schema.ts';
import { fail } from '../../kernel/errors.ts';

/** How long a request waits for an examination, which goes on. */
const WAIT_MS = 15_000;
/** How long a report is returned to later requests. */
const KEPT_MS = 5000;

/** Examines the node, once for all concurrent requests. Errors: 503 `overloaded` while it takes longer. */
export function pollExaminations(node: NodeInfo): Polled<Static<typeof DoctorReport>> {
  return new Polled({
    freshMs: KEPT_MS,
    waitMs: WAIT_MS,
    late: () => fail.overloaded('the node is still being examined', { retryAfterSeconds: 3 }),
    measure: async () => {
      const found = await node.examine();
      const findings = found.map(({ plugin, name, state, detail, remedy = null }) => ({
        plugin,
        name,
        state,
        detail,
        remedy,
      }));
      return { at: new Date().toISOString(), findings };
    },
  });
}
