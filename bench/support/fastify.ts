/**
 * Fastify 5 with @fastify/jwt and its cache, which sends given bytes if Hostkeep's token is valid. Arguments: path,
 * file of the bytes, file of Hostkeep's keys.
 */
import { readFileSync } from 'node:fs';
import fastifyJwt from '@fastify/jwt';
import Fastify from 'fastify';

const [path = '/', file = '', keys = ''] = process.argv.slice(2);
const { signing } = JSON.parse(readFileSync(keys, 'utf8')) as { signing: { secret: string }[] };
const body = readFileSync(file, 'utf8');

const app = Fastify();
await app.register(fastifyJwt, {
  secret: Buffer.from(signing[0]?.secret ?? '', 'base64url'),
  verify: { cache: true, allowedIss: 'hostkeep', allowedAud: 'user' },
});
app.get(path, { onRequest: (request) => request.jwtVerify() }, (_, reply) =>
  reply
    .header('Content-Type', 'application/json')
    .header('Cache-Control', 'no-store')
    .header('X-Content-Type-Options', 'nosniff')
    .send(body),
);
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 });
