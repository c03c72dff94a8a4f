import { withDeadline } from '../../kernel/kit/waiting/deadline.ts';
import type { NodeInfo } from '../../kernel/contract/node-info.ts';
import type { Static } from '../../kernel/schema.ts';
import type { DoctorReport } from './schema.ts';
import { fail } from '../../kernel/errors.ts';

/** How long a request waits for an examination, which goes on. */
const WAIT_MS = 15_000;
/** How long a report is good for who asks again. */
const KEPT_MS = 5000;

type Report = Static<typeof DoctorReport>;

/** Examines the node for requests: one examination at a time, which all who ask share. */
export class Examinations {
  readonly #node: NodeInfo;
  #running: Promise<Report> | undefined;
  #last: Report | undefined;

  constructor(node: NodeInfo) {
    this.#node = node;
  }

  /** Errors: 503 `overloaded` while it takes longer. */
  read(): Report | Promise<Report> {
    if (this.#last !== undefined && Date.now() - Date.parse(this.#last.at) < KEPT_MS) return this.#last;
    this.#running ??= this.#examine().finally(() => (this.#running = undefined));
    return withDeadline(this.#running, WAIT_MS, () =>
      fail.overloaded('the node is still being examined', { retryAfterSeconds: 3 }),
    );
  }

  async #examine(): Promise<Report> {
    const found = await this.#node.examine();
    const findings = found.map(({ plugin, name, state, detail, remedy = null }) => ({
      plugin,
      name,
      state,
      detail,
      remedy,
    }));
    return (this.#last = { at: new Date().toISOString(), findings });
  }
}
