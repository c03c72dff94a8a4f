/** Watches how replies are handed to uWebSockets.js in this process. */
import { createRequire } from 'node:module';
import { freePort } from './port.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;
const METHODS = ['end', 'tryEnd', 'write', 'writeHeader', 'writeStatus'] as const;

export interface Wire {
  /** Texts beyond ASCII that were handed over as strings, each with its method. */
  readonly strings: string[];
  /** How many replies and parts of streams beyond ASCII were handed over as bytes. */
  bytes(): number;
  close(): void;
}

/** Starts watching. The binaries of uWebSockets.js for newer versions of Node.js write a string as Latin-1 if they can. */
export async function watchWire(): Promise<Wire> {
  const strings: string[] = [];
  let inBytes = 0;
  const { prototype, close } = await responsePrototype();
  const originals = METHODS.map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals)
    prototype[name] = function (...args) {
      for (const arg of args) {
        if (typeof arg === 'string' && /[^\u0000-\u007f]/.test(arg)) strings.push(`${name}: ${arg}`);
        if (arg instanceof Uint8Array && arg.some((byte) => byte > 127)) inBytes += 1;
      }
      return original.apply(this, args);
    };
  return {
    strings,
    bytes: () => inBytes,
    close: () => {
      Object.assign(prototype, Object.fromEntries(originals));
      close();
    },
  };
}

/** All replies of a process share one prototype, which only a reply leads to. */
async function responsePrototype(): Promise<{ prototype: Record<(typeof METHODS)[number], Method>; close(): void }> {
  const uWS = createRequire(import.meta.url)('uWebSockets.js') as typeof import('uWebSockets.js');
  let found: object | undefined;
  const port = await freePort();
  const app = uWS.App().get('/', (res) => {
    found = Object.getPrototypeOf(res) as object;
    res.end('');
  });
  app.listen('127.0.0.1', port, () => {});
  await fetch(`http://127.0.0.1:${port}/`);
  return { prototype: found as Record<(typeof METHODS)[number], Method>, close: () => void app.close() };
}
