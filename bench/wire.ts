/**
 * What the largest answers weigh over the wire: `npm run build && node dist/bench/wire.js`. The API's description of each address, and
 * an account's 360 domains, compressed as clients ask for it, heads left out.
 */
import { get } from 'node:http';
import { TestServer } from '../test/support/hostkeep.ts';
import { machineText } from './support/processes.ts';

const DOMAINS = 360;
const ENCODINGS = ['br', 'gzip'];

const server = await TestServer.start();
const { token } = await server.user('shop');
const admin = await server.admin('operator');
for (let i = 0; i < DOMAINS; i += 1) {
  const body = { domain_url: `shop-${i}.example` };
  const { status } = await server.ask('/api/domains/new', { token, method: 'POST', body });
  if (status !== 201) throw new Error(`the domain ${i} is answered with ${status}`);
}
console.log(`Over the wire: ${machineText()}`);
for (const [address, path, asking] of [
  ['user', '/openapi.json', token],
  ['admin', '/openapi.json', admin.token],
  ['user', '/api/domains', token],
] as const) {
  const url = `${server.hostkeep.url(address)}${path}`;
  const sizes = await Promise.all(
    ENCODINGS.map(async (encoding) => `${((await bodyBytes(url, asking, encoding)) / 1000).toFixed(1)} KB ${encoding}`),
  );
  console.log(`  ${path} of the ${address} address: ${sizes.join(', ')}`);
}
await server.close();
process.exit(0);

function bodyBytes(url: string, token: string, encoding: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': encoding };
  return new Promise((resolve, reject) => {
    const sent = get(url, { headers }, (response) => {
      if (response.statusCode !== 200 || response.headers['content-encoding'] !== encoding)
        reject(new Error(`${url} answers ${response.statusCode}, ${response.headers['content-encoding']}`));
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => resolve(bytes));
    });
    sent.on('error', reject);
  });
}
