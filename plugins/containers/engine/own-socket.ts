/**
 * Connections to an engine of an account's own. Its socket lies where the account may write, so the account could put
 * a link there that leads to the shared engine or to another account's: each part of the path is opened from its
 * parent's descriptor without following links, and what was checked is what is connected to.
 */
import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Agent, type ClientRequestArgs } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf } from '../../../kernel/errors.ts';

/** Not among Node's constants; a socket cannot be opened in any other way. */
const O_PATH = 0o10_000_000;

type Connected = (error: Error | null, socket: Duplex) => void;

/** Connects to `path` only where no part of it is a link and it is not the shared engine's socket under another name. */
export class OwnSocketAgent extends Agent {
  readonly #path: string;
  readonly #sharedPath: string;

  constructor(path: string, sharedPath: string) {
    super({ keepAlive: false });
    this.#path = path;
    this.#sharedPath = sharedPath;
  }

  override createConnection(_options: ClientRequestArgs, callback?: Connected): undefined {
    this.#connect().then(
      (socket) => callback?.(null, socket),
      (error: unknown) =>
        callback?.(error instanceof Error ? error : new Error(messageOf(error)), undefined as unknown as Duplex),
    );
    return undefined;
  }

  async #connect(): Promise<Socket> {
    const handle = await openSocket(this.#path);
    try {
      await this.#assertOwn(handle);
      const socket = connect(`/proc/self/fd/${handle.fd}`);
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      return socket;
    } finally {
      await handle.close();
    }
  }

  async #assertOwn(handle: FileHandle): Promise<void> {
    const shared = await stat(this.#sharedPath).catch(() => undefined);
    const own = await handle.stat();
    if (shared !== undefined && shared.dev === own.dev && shared.ino === own.ino)
      throw new Error(`${this.#path} is the socket of the shared engine`);
  }
}

/** The socket at an absolute path. Rejects where a part of the path is a link, missing, or not what it should be. */
async function openSocket(path: string): Promise<FileHandle> {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new Error(`${path} has .. in it`);
  let handle = await open('/', O_PATH | constants.O_DIRECTORY);
  for (const [i, name] of names.entries()) {
    const parent = handle;
    const kind = i === names.length - 1 ? 0 : constants.O_DIRECTORY;
    handle = await open(`/proc/self/fd/${parent.fd}/${name}`, O_PATH | constants.O_NOFOLLOW | kind).finally(() =>
      parent.close(),
    );
  }
  if ((await handle.stat()).isSocket()) return handle;
  await handle.close();
  throw new Error(`${path} is not a socket`);
}
