/**
 * The baseline: a bare uWebSockets.js handler in a separate process that sends given bytes if the token matches, with
 * the same headers as Hostkeep. Arguments: path, token (may be empty), file of the bytes, media type.
 */
import { readFileSync } from 'node:fs';
import uWS from 'uWebSockets.js';

const [path = '/', token = '', file = '', type = 'application/json'] = process.argv.slice(2);
const body = readFileSync(file);
const expected = `Bearer ${token}`;

const app = uWS.App().get(path, (res, req) => {
  if (token !== '' && req.getHeader('authorization') !== expected) {
    res.writeStatus('401 Unauthorized').end();
    return;
  }
  res
    .writeHeader('Content-Type', type)
    .writeHeader('Cache-Control', 'no-store')
    .writeHeader('X-Content-Type-Options', 'nosniff')
    .end(body);
});
app.listen('127.0.0.1', 0, (socket) => {
  if (socket !== false) process.send?.({ port: uWS.us_socket_local_port(socket) });
});
