import { get } from 'node:http';

export interface Page {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly body: string;
}

/** What a web server on a port of the loopback address answers for a host name, over a connection of its own. */
export function fetchPage(port: number, host: string, path = '/'): Promise<Page> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    }).on('error', () => resolve({ status: 0, body: '' }));
  });
}
