import type { Address } from '../../kernel/contract/route-spec.ts';
import type { TestServer } from './hostkeep.ts';

export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface EventSource {
  readonly response: Response;
  /** Waits for the next event; skips comments. */
  next(): Promise<ServerSentEvent>;
  /** Resolves when the server ends the stream; drops the events until then. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Opens a stream, that of samples on the admin address unless given. Rejects unless the status is 200. */
export async function eventSource(
  server: TestServer,
  token: string,
  headers: Record<string, string> = {},
  path = '/api/usage/stream',
  address: Address = 'admin',
): Promise<EventSource> {
  const abort = new AbortController();
  const response = await fetch(`${server.hostkeep.url(address)}${path}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: abort.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(`the stream answered ${response.status}`);
  const events = read(response.body);
  const next = async () => {
    const { value, done } = await events.next();
    if (done === true) throw new Error('the stream ended');
    return value;
  };
  return {
    response,
    next,
    get ended() {
      return (async () => {
        while ((await events.next()).done !== true);
      })();
    },
    close: async () => {
      await events.return(undefined).catch(() => undefined);
      abort.abort();
    },
  };
}

async function* read(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent, undefined> {
  let text = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
      text = text.slice(end + 2);
      if (fields.has('data'))
        yield {
          id: fields.get('id') ?? '',
          event: fields.get('event') ?? '',
          data: JSON.parse(fields.get('data') ?? '') as Record<string, unknown>,
        };
    }
  }
  return undefined;
}
