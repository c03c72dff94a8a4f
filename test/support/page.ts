import { get } from 'node:http';

export interface Page {
  /** 0 if the connection closed without a response. */
  readonly status: number;
  readonly body: string;
  /** Where a redirect leads. */
  readonly location?: string;
}

/** Requests a page for a host name from a web server on loopback, over a new connection. */
export function fetchPage(port: number, host: string, path = '/'): Promise<Page> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => {
        const { location } = response.headers;
        resolve({ status: response.statusCode ?? 0, body, ...(location !== undefined && { location }) });
      });
    }).on('error', () => resolve({ status: 0, body: '' }));
  });
}
