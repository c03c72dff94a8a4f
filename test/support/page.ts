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

/** Requests a page for a host name from a web server on loopback, over a new connection. */
export async function fetchPage(
  port: number,
  host: string,
  path = '/',
  method = 'GET',
  at = '127.0.0.1',
): Promise<Page> {
  const { headers: _, ...page } = await fetchAnswer(port, host, path, method, at);
  return page;
}

/** Does so, and resolves with the headers as well. */
export function fetchAnswer(port: number, host: string, path = '/', method = 'GET', at = '127.0.0.1'): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request({ host: at, port, path, method, headers: { host }, agent: false }, (response) => {
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
    sent.end();
  });
}
