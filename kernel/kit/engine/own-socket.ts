/**
 * Connections to an account's own engine. The account may write to the folders of its socket, so it could replace the
 * socket with a link to the shared engine or to another account's: each part of the path is opened from its parent's
 * descriptor without following links, and the connection goes to the descriptor that was checked.
 */
import { once } from 'node:events';
import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

/** Missing from Node's constants. A socket cannot be opened in any other way. */
const O_PATH = 0o10_000_000;
const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Connects to `path` unless a part of it is a link, it is another name for the shared engine's socket, or another
 * user than that of this process, the account, owns it: a hard link, which looks like the socket itself, could be there.
 */
export async function connectOwn(path: string, sharedPath: string): Promise<Socket> {
  const { handle, isOperators } = await openSocket(path);
  try {
    const own = await handle.stat();
    const shared = await stat(sharedPath).catch(() => undefined); // none, or out of the account's reach
    if (shared !== undefined && shared.dev === own.dev && shared.ino === own.ino)
      throw new Error(`${path} is the socket of the shared engine`);
    if (!isOperators && own.uid !== process.geteuid?.())
      throw new Error(`${path} belongs to another user than the account`);
    return await connectTo(`/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
}

export async function connectTo(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, 'connect');
  return socket;
}

/**
 * Opens the socket at an absolute path; `isOperators` says that only root can have put it there. Rejects where a part of
 * the path is a link, missing or of the wrong type. Not `Folder` of the kernel: that reads folders, and so needs
 * permission to read each, where `O_PATH` needs search only.
 */
async function openSocket(path: string): Promise<{ handle: FileHandle; isOperators: boolean }> {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw new Error(`${path} contains ..`);
  let handle = await open('/', O_PATH | constants.O_DIRECTORY);
  let isOperators = true;
  for (const [i, name] of names.entries()) {
    const parent = handle;
    const kind = i === names.length - 1 ? 0 : constants.O_DIRECTORY;
    try {
      isOperators &&= onlyRootMayChange(await parent.stat(), kind === 0);
      handle = await open(`/proc/self/fd/${parent.fd}/${name}`, O_PATH | constants.O_NOFOLLOW | kind);
    } finally {
      await parent.close();
    }
  }
  if ((await handle.stat()).isSocket()) return { handle, isOperators };
  await handle.close();
  throw new Error(`${path} is not a socket`);
}

/** In a sticky folder others may add names but not exchange root's, so it may not hold the socket itself. */
function onlyRootMayChange({ uid, mode }: Stats, holdsSocket: boolean): boolean {
  if (uid !== 0) return false;
  return (mode & OTHERS_MAY_WRITE) === 0 || ((mode & STICKY) !== 0 && !holdsSocket);
}
