import { connect } from 'node:net';
import { PING_PATH } from './pool-config.ts';

const [BEGIN, PARAMS, STDIN] = [1, 4, 5];
const RESPONDER = Buffer.from([0, 1, 0, 0, 0, 0, 0, 0]);
const PONG = 'pong';
const MOST_BYTES = 4096;

/** Resolves with whether a pool answers at its socket in time, which takes one of its processes. */
export function answersPing(socket: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    let answer = '';
    const end = () => {
      clearTimeout(timer);
      connection.destroy();
      resolve(answer.includes(PONG));
    };
    const timer = setTimeout(end, timeoutMs);
    connection.once('connect', () => connection.write(pingRequest()));
    connection.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.length > MOST_BYTES) end();
    });
    connection.once('error', end).once('close', end);
  });
}

function pingRequest(): Buffer {
  const values = { REQUEST_METHOD: 'GET', SCRIPT_NAME: PING_PATH, SCRIPT_FILENAME: PING_PATH };
  const pairs = Object.entries(values).flatMap(([name, value]) => [
    Buffer.from([name.length, value.length]),
    Buffer.from(name + value),
  ]);
  return Buffer.concat([record(BEGIN, RESPONDER), record(PARAMS, Buffer.concat(pairs)), record(PARAMS), record(STDIN)]);
}

/** Returns a record of the FastCGI protocol, version 1, of the only request of a connection. */
function record(type: number, content = Buffer.alloc(0)): Buffer {
  const head = Buffer.from([1, type, 0, 1, 0, 0, 0, 0]);
  head.writeUInt16BE(content.length, 4);
  return Buffer.concat([head, content]);
}
