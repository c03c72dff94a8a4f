import { request, type IncomingHttpHeaders } from 'node:http';

export interface Page {
  /** 0 if the connection closed without a response. */
  readonly status: number;
  readonly body: string;
  /** Where a redirect leads. */
  readonly location?: string;
  /** In seconds. */
  readonly retryAfter?: string;
}

interface Answer extends Page {
  readonly headers: IncomingHttpHeaders;
}

interface Sent {
  readonly method?: string;
  /** Beside that of the host. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The address of the web server. */
  readonly at?: string;
}

/** Requests a page for a host name from a web server on loopback, over a new connection. */
export async function fetchPage(port: number, host: string, path = '/', sent: Sent = {}): Promise<Page> {
  const { headers: _, ...page } = await fetchAnswer(port, host, path, sent);
  return page;
}

/** Does so, and resolves with the headers as well. */
export function fetchAnswer(
  port: number,
  host: string,
  path = '/',
  { method = 'GET', headers = {}, body: given, at = '127.0.0.1' }: Sent = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    const options = { host: at, port, path, method, headers: { host, ...headers }, agent: false };
    const sent = request(options, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => {
        const { location, 'retry-after': retryAfter } = response.headers;
        resolve({
          status: response.statusCode ?? 0,
          body,
          headers: response.headers,
          ...(location !== undefined && { location }),
          ...(retryAfter !== undefined && { retryAfter }),
        });
      });
    });
    sent.on('error', () => resolve({ status: 0, body: '', headers: {} }));
    sent.end(given);
  });
}
