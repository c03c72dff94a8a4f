import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { boundedBytes } from '../../../kernel/kit/waiting/byte-streams.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import { fail } from '../errors.ts';

const TIMEOUT_MS = 20_000;
const MOST_BYTES = 16 * 2 ** 20;

interface EngineReply {
  readonly status: number;
  readonly bytes: Buffer;
}

/** The container engine of the operator, which is as trustworthy as this process: it is root as well. */
export class Engine {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Resolves with the JSON that the engine answers. Errors: 502 `service_failed`, also for a refusal with another status than these. */
  async ask(method: string, path: string, body?: object, statuses: readonly number[] = []): Promise<unknown> {
    const { status, bytes } = await this.send(method, path, body);
    if (status >= 300 && !statuses.includes(status)) throw refusal(`it answers ${status}: ${bytes.toString()}`);
    return bytes.length === 0 ? undefined : (JSON.parse(bytes.toString()) as unknown);
  }

  /** Resolves with whatever the engine answers. Errors: 502 `service_failed`. */
  async send(method: string, path: string, body?: object): Promise<EngineReply> {
    const asked = request({
      ...{ socketPath: this.#socketPath, method, path, agent: false },
      headers: { Host: 'engine', ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    asked.on('error', () => undefined); // what waits for the response, or reads it, fails as well
    try {
      asked.end(body === undefined ? '' : JSON.stringify(body));
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      const tooMuch = () => new Error(`it says more than ${MOST_BYTES} bytes`);
      return { status: response.statusCode ?? 0, bytes: await buffer(boundedBytes(response, MOST_BYTES, tooMuch)) };
    } catch (error) {
      throw refusal(errorMessage(error));
    }
  }
}

/** Keeps the engine's own words for the log: they may name paths of the machine. */
function refusal(reason: string): Error {
  return fail.service_failed('the container engine refuses, or does not answer', {
    cause: new Error(reason.slice(0, 1000)),
  });
}
