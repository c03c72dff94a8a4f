/** Prints whether the library is loaded: after the start, after a request without a token, and after one with a token. */
import { createRequire } from 'node:module';
import { TestServer } from '../../support/hostkeep.ts';
import { post, request } from './client.ts';

const { cache } = createRequire(import.meta.url);
const isLoaded = () => Object.keys(cache).some((path) => path.includes('/@modelcontextprotocol/'));
const server = await TestServer.open({ config: { plugins: { mcp: true } } });
const { token } = await server.user('ann');
const found: unknown[] = [isLoaded()];
for (const options of [{}, { token }]) {
  const { status } = await post(server, request('tools/list'), options);
  found.push(status, isLoaded());
}
await server.close();
console.log(JSON.stringify(found));
