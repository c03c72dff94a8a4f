import { get } from 'node:http';

/** Characters after which no more of an answer is read. */
const ENOUGH = 200;

/** Asks the web server at an address for a page of a site. Resolves with the beginning of its answer; status 0 for none in time. */
export function askSite(
  { host, port }: { readonly host: string; readonly port: number },
  site: string,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve) => {
    const request = get({ host, port, path, headers: { host: site }, agent: false, signal }, (response) => {
      const { statusCode: status = 0 } = response;
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
        if (body.length > ENOUGH) response.destroy();
      });
      response.on('error', () => undefined); // it closes then
      response.on('close', () => resolve({ status, body }));
    });
    request.on('error', () => resolve({ status: 0, body: '' }));
  });
}
