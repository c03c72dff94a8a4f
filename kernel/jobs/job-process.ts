/**
 * The program of a job's process. It takes the user id of its files root's owner where it has the right to, and can
 * never get back; then it runs jobs. It ends with the connection to its caller.
 */
import { chownSync, existsSync, fstatSync, mkdirSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { pathToFileURL } from 'node:url';
import { HttpError, messageOf } from '../errors.ts';
import { unsafeParentOf, type FilesRoot, isMissing } from '../system/files-root.ts';
import { openRootSync } from '../system/safe-folder-sync.ts';
import { WithBytes, type JobContext, type JobFunction, type JobReply, type JobRequest, type JobStart } from './job.ts';
import { JobChannel } from './job-channel.ts';

/** The descriptor of the connection, as `JobWorker` sets it. */
const CONNECTION = 3;
const MAX_REQUEST_BYTES = 64 * 2 ** 20;
/** Below that of the process that serves everybody. */
const NICENESS = 5;
const NOWHERE: FilesRoot = { path: '/nonexistent', operatorPath: '/nonexistent', below: [] };

const releases: (() => void | Promise<void>)[] = [];
let root = NOWHERE;
/** The files root's descriptor; `undefined` while there is none. */
let rootDescriptor: number | undefined;
/** Why no job may run here. */
let refusal: unknown;
let isStarted = false;

const channel = new JobChannel(new Socket({ fd: CONNECTION, readable: true, writable: true }), {
  maxBytes: MAX_REQUEST_BYTES,
  onMessage: (message, bytes) => {
    if (isStarted) return void run(message as JobRequest, bytes);
    isStarted = true;
    try {
      start(message as JobStart);
    } catch (error) {
      refusal = error;
    }
  },
  onClose: () => void end(),
});

function start({ root: given, stateFolder }: JobStart): void {
  setPriority(NICENESS);
  if (stateFolder !== null) mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  if (given !== null) openRoot(given);
  const owner = rootDescriptor === undefined ? undefined : fstatSync(rootDescriptor).uid;
  const isTaken = owner !== undefined && owner !== 0 && process.geteuid?.() === 0;
  if (stateFolder !== null) {
    if (isTaken && statSync(stateFolder).uid !== owner) chownSync(stateFolder, owner, owner);
    process.chdir(stateFolder);
  }
  if (!isTaken) return;
  process.setgroups?.([]);
  process.setgid?.(owner); // not the folder's group: one that accounts share would open other accounts' folders
  process.setuid?.(owner);
}

/** Opens the root before the rights to do so are given up; the folders above it need not be open to its owner. */
function openRoot(given: FilesRoot): void {
  root = given;
  const unsafe = unsafeParentOf(given);
  if (unsafe !== undefined)
    throw new HttpError('files_unavailable', `customers may change ${unsafe}, which files_root is in`);
  try {
    rootDescriptor = openRootSync(given);
    root = { path: given.path, operatorPath: `/proc/self/fd/${rootDescriptor}`, below: [] };
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Whether the root was removed or made since the start, so that this process is not the right one any more. */
function isOutdated(): boolean {
  if (rootDescriptor !== undefined) return fstatSync(rootDescriptor).nlink === 0;
  return root !== NOWHERE && existsSync(root.path);
}

async function run({ id, file, input }: JobRequest, bytes: Buffer): Promise<void> {
  try {
    if (refusal !== undefined) throw refusal;
    if (isOutdated()) return send({ id, ok: false, message: 'the files root is another', isOutdated: true });
    const { default: job } = (await import(pathToFileURL(file).href)) as { default: JobFunction<unknown, unknown> };
    const context: JobContext = { root, bytes, onClose: (release) => releases.push(release) };
    const output = await job(input, context);
    if (output instanceof WithBytes) send({ id, ok: true, output: output.output, hasBytes: true }, output.bytes);
    else send({ id, ok: true, output });
  } catch (error) {
    send(failure(id, error));
  }
}

function send(reply: JobReply, bytes?: Uint8Array): void {
  channel.send(reply, bytes);
}

function failure(id: number, error: unknown): JobReply {
  const code = (error as { code?: unknown } | null)?.code;
  const retryAfter = error instanceof HttpError ? error.headers?.['Retry-After'] : undefined;
  return {
    id,
    ok: false,
    message: messageOf(error),
    ...(typeof code === 'string' && { code }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** An orderly exit waits for all threads, and so for a file system that does not answer. */
async function end(): Promise<void> {
  try {
    for (const release of releases) await release();
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
