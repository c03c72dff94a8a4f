/**
 * Connections to an account's own engine. The account may write to the folders of its socket, so it could replace the
 * socket with a link to the shared engine or to another account's: each part of the path is opened from its parent's
 * descriptor without following links, and the connection goes to the descriptor that was checked.
 */
import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { isMissing, type FilesRoot } from '../../../kernel/kit/files/files-root.ts';
import { Folder } from '../../../kernel/kit/files/safe-folder.ts';

/** Missing from Node's constants. A socket cannot be opened in any other way. */
const O_PATH = 0o10_000_000;
const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Connects to `path` unless a part of it is a link, it is another name for the shared engine's socket, or another user
 * owns it: a link of another kind, which looks like the socket itself, could have been put there.
 */
export async function connectOwn(path: string, sharedPath: string, root: FilesRoot): Promise<Socket> {
  const { handle, isOperators } = await openSocket(path);
  try {
    const own = await handle.stat();
    const shared = await stat(sharedPath).catch(() => undefined);
    if (shared !== undefined && shared.dev === own.dev && shared.ino === own.ino)
      throw new Error(`${path} is the socket of the shared engine`);
    if (!isOperators && own.uid !== (await ownerOf(root)))
      throw new Error(`${path} belongs to another user than the files of the account`);
    const socket = connect(`/proc/self/fd/${handle.fd}`);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return socket;
  } finally {
    await handle.close();
  }
}

/** Returns the owner of the account's files; without a folder the user of this process. */
async function ownerOf(root: FilesRoot): Promise<number | undefined> {
  try {
    const folder = await Folder.openRoot(root);
    try {
      return (await folder.stat()).uid;
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
    return process.geteuid?.();
  }
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
