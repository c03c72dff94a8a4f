import { LogThrottle } from '../../kernel/log.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import { reopenAbandoned } from './ending.ts';

const LOOK_MS = 5000;

/** Looks every few seconds for moves whose command was killed, and lets their accounts change again. */
export class Reopening {
  readonly #host: Host;
  readonly #here: string;
  readonly #timer: NodeJS.Timeout;
  readonly #throttle = new LogThrottle();
  #running: Promise<void> | undefined;

  /** `here` is the name of this node. */
  constructor(host: Host, here: string) {
    this.#host = host;
    this.#here = here;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Takes as long as what was closed needs, such as a database server that hangs. Never rejects. */
  #look(): Promise<void> {
    return (this.#running ??= reopenAbandoned(this.#host, this.#here)
      .catch((error: unknown) => {
        if (this.#throttle.isDue(''))
          this.#host.log.error({ err: error }, 'an account whose move was abandoned could not be opened; will retry');
      })
      .then(() => void (this.#running = undefined)));
  }
}
