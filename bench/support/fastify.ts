/** Fastify 5 with @fastify/jwt and its cache, answering given bytes behind a token that it signs itself. Arguments: path, file. */
import { readFileSync } from 'node:fs';
import fastifyJwt from '@fastify/jwt';
import Fastify from 'fastify';

const [path = '/', file = ''] = process.argv.slice(2);
const body = readFileSync(file, 'utf8');

const app = Fastify();
await app.register(fastifyJwt, { secret: 'b'.repeat(32), verify: { cache: true } });
app.get(path, { onRequest: (request) => request.jwtVerify() }, (_, reply) =>
  reply.header('Content-Type', 'application/json').header('Cache-Control', 'no-store').header('X-Content-Type-Options', 'nosniff').send(body));
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0, token: app.jwt.sign({ sub: '1' }) });
