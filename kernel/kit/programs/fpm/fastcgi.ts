import { connect } from 'node:net';

const [BEGIN, END, PARAMS, STDIN, STDOUT] = [1, 3, 4, 5, 6];
const HEAD_BYTES = 8;
const RESPONDER = Buffer.from([0, 1, 0, 0, 0, 0, 0, 0]);
const PONG = 'pong';
const MOST_PING_BYTES = 4096;

/** The path at which a pool answers by itself, without a script. Web servers pass on what ends with .php only. */
export const PING_PATH = '/hostkeep-ping';
/** The same for what a pool says of its processes. */
export const STATUS_PATH = '/hostkeep-status';

/** How long an answer may take, and how large it may be. */
interface Bounds {
  readonly timeoutMs: number;
  readonly mostBytes: number;
}

/** Resolves with whether a pool answers at its socket in time, which takes one of its processes. */
export async function answersPing(socket: string, timeoutMs: number): Promise<boolean> {
  const bounds = { timeoutMs, mostBytes: MOST_PING_BYTES };
  // why it does not answer, its master prints
  const answer = await askPool(socket, PING_PATH, bounds).catch(() => Buffer.alloc(0));
  return answer.includes(PONG);
}

/** Resolves with what a script prints, after its headers. Rejects if there is no whole answer within the bounds. */
export function askPool(socket: string, script: string, { timeoutMs, mostBytes }: Bounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (fault?: Error) => {
      clearTimeout(timer);
      connection.destroy();
      const output = fault === undefined ? outputOf(Buffer.concat(chunks)) : undefined;
      if (output === undefined) reject(fault ?? new Error('the answer was cut off'));
      else resolve(output);
    };
    const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    connection.once('connect', () => connection.write(requestOf(script)));
    connection.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > mostBytes) end(new Error(`the answer is larger than ${mostBytes} bytes`));
    });
    connection.once('error', end).once('close', () => end());
  });
}

function requestOf(script: string): Buffer {
  const values = { REQUEST_METHOD: 'GET', SCRIPT_NAME: script, SCRIPT_FILENAME: script };
  const pairs = Object.entries(values).flatMap(([name, value]) => [
    lengthOf(name),
    lengthOf(value),
    Buffer.from(name + value),
  ]);
  return Buffer.concat([record(BEGIN, RESPONDER), record(PARAMS, Buffer.concat(pairs)), record(PARAMS), record(STDIN)]);
}

function lengthOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  if (length < 128) return Buffer.from([length]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(2 ** 31 + length);
  return bytes;
}

/** Returns a record of the FastCGI protocol, version 1, of the only request of a connection. */
function record(type: number, content = Buffer.alloc(0)): Buffer {
  const head = Buffer.from([1, type, 0, 1, 0, 0, 0, 0]);
  head.writeUInt16BE(content.length, 4);
  return Buffer.concat([head, content]);
}

/** Returns what the records of an answer print; `undefined` if its end is missing. */
function outputOf(answer: Buffer): Buffer | undefined {
  const output: Buffer[] = [];
  for (let at = 0; at + HEAD_BYTES <= answer.length;) {
    const [type, length, padding] = [answer[at + 1], answer.readUInt16BE(at + 4), answer[at + 6] ?? 0];
    if (type === END) return Buffer.concat(output);
    if (type === STDOUT) output.push(answer.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length));
    at += HEAD_BYTES + length + padding;
  }
  return undefined;
}
