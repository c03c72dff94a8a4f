/**
 * Connections to an account's own engine. The account may write to the folders of its socket, so it could replace the
 * socket with a link to the shared engine or to another account's: each part of the path is opened from its parent's
 * descriptor without following links, and the connection goes to the descriptor that was checked.
 */
import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { Agent, type ClientRequestArgs } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf } from '../../../kernel/errors.ts';

/** Missing from Node's constants. A socket cannot be opened in any other way. */
const O_PATH = 0o10_000_000;

type Connected = (error: Error | null, socket: Duplex) => void;

/** Connects to `path` unless a part of it is a link, or it is another name for the shared engine's socket. */
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
      await this.#assertNotShared(handle);
      const socket = connect(`/proc/self/fd/${handle.fd}`);
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      return socket;
    } finally {
      await handle.close();
    }
  }

  async #assertNotShared(handle: FileHandle): Promise<void> {
    const shared = await stat(this.#sharedPath).catch(() => undefined);
    const own = await handle.stat();
    if (shared !== undefined && shared.dev === own.dev && shared.ino === own.ino)
      throw new Error(`${this.#path} is the socket of the shared engine`);
  }
}

/**
 * Opens the socket at an absolute path. Rejects where a part of the path is a link, missing or of the wrong type. Not
 * `Folder` of the kernel: that reads folders, and so needs permission to read each, where `O_PATH` needs search only.
 */
async function openSocket(path: string): Promise<FileHandle> {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new Error(`${path} contains ..`);
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
