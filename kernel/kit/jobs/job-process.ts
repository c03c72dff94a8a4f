/**
 * The program of a job's process. It takes the user id of its files root's owner where it has the right to, and can
 * never get back; then it runs jobs. It ends with the connection to its caller, which need not be the process that started it.
 */
import { chownSync, existsSync, fstatSync, mkdirSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fail } from '../../errors.ts';
import { findUnsafeParent, type FilesRoot, isMissing } from '../files/files-root.ts';
import { makeRootSync } from './make-root.ts';
import { openRootSync } from '../files/safe-folder-sync.ts';
import {
  JOB_START,
  LEAN_ENV,
  describeFailure,
  WithBytes,
  type JobBegun,
  type JobContext,
  type JobFunction,
  type JobProgress,
  type JobReply,
  type JobRequest,
  type JobStart,
  type JobUser,
} from './job.ts';
import { JobChannel } from './job-channel.ts';
import { isAnswer, JobQuestions } from './job-questions.ts';
import { prepareLowerPriority } from '../programs/lower-priority.ts';
import { processorSeconds } from '../programs/processor-time.ts';

/** The descriptor of the connection, as `JobWorker` sets it. */
const CONNECTION = 3;
const MAX_REQUEST_BYTES = 64 * 2 ** 20;
/** Not the mask of the service: web servers read what accounts publish. */
const MASK = 0o022;
/** The folder of the product's code. */
const CODE = resolve(import.meta.dirname, '../../..');
const NOWHERE: FilesRoot = { path: '/nonexistent', operatorPath: '/nonexistent', below: [] };

/** Jobs by file: an import costs more than a small job, even a repeated one. */
const jobs = new Map<string, JobFunction<unknown, unknown>>();
const releases: (() => void | Promise<void>)[] = [];
let root = NOWHERE;
/** The files root's descriptor; `undefined` while there is none. */
let rootDescriptor: number | undefined;
/** Whether this process makes a missing root when it starts; otherwise the job itself does. */
let isMaker = false;
/** Why no job may run here. */
let refusal: unknown;

/** The start of a process is not the customer's work: the priority is lowered when the first job begins that is not urgent. */
let lowerPriority: (() => void) | undefined = prepareLowerPriority();

const questions = new JobQuestions((question, bytes) => channel.send(question, bytes));

const channel = new JobChannel(new Socket({ fd: CONNECTION, readable: true, writable: true }), {
  maxBytes: MAX_REQUEST_BYTES,
  onMessage: (message, bytes) =>
    isAnswer(message) ? questions.take(message, bytes) : void run(message as JobRequest, bytes),
  onClose: () => void end(),
});

try {
  start(JSON.parse(process.env[JOB_START] ?? '') as JobStart);
} catch (error) {
  refusal = error;
}
for (const name of [JOB_START, ...Object.keys(LEAN_ENV)]) delete process.env[name];

function start({ root: given, stateFolder, user, makesRoot, opensNothing }: JobStart): void {
  process.umask(MASK);
  const isRoot = process.geteuid?.() === 0;
  if (stateFolder !== null) mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  isMaker = isRoot && user !== null;
  if (given !== null) openRoot(given, makesRoot && isRoot ? user : null);
  // Without a root, a process that opens files keeps the rights to see that there is none, and when there is one.
  const otherwise = opensNothing || user?.isRequired === true ? user?.uid : undefined;
  const owner = rootDescriptor === undefined ? otherwise : fstatSync(rootDescriptor).uid;
  const isTaken = isRoot && owner !== undefined && owner !== 0;
  if (stateFolder !== null) {
    if (isTaken && statSync(stateFolder).uid !== owner) chownSync(stateFolder, owner, owner);
    process.chdir(stateFolder);
  }
  if (isTaken) takeUser(owner);
  if (user?.isRequired === true && owner !== user.uid && owner !== user.namesakeUid)
    throw fail.files_unavailable(`${root.path} belongs to the user id ${owner}, and not to ${user.uid}`);
}

/** The group is not the folder's: one that accounts share would open other accounts' folders. */
function takeUser(id: number): void {
  process.setgroups?.([]);
  process.setgid?.(id);
  process.setuid?.(id);
}

/** Opens the root before the rights to do so are given up; the folders above it need not be open to its owner. */
function openRoot(given: FilesRoot, maker: JobUser | null): void {
  root = given;
  const unsafe = findUnsafeParent(given);
  if (unsafe !== undefined) throw fail.files_unavailable(`customers may change ${unsafe}, which files_root is in`);
  if (maker !== null) makeRootSync(given.path, maker);
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

async function run({ id, file, input, needsRoot, isUrgent }: JobRequest, bytes: Buffer): Promise<void> {
  try {
    if (isOutdated() || (needsRoot === true && isMaker && rootDescriptor === undefined && refusal === undefined))
      return send({ id, ok: false, message: 'the files root is another', isOutdated: true });
    if (refusal !== undefined) throw refusal;
    const job = jobs.get(file) ?? (await load(file));
    if (isUrgent !== true) lowerOnce();
    channel.send({ id, begunAt: processorSeconds('self') } satisfies JobBegun);
    const context: JobContext = {
      ...{ root, bytes },
      report: (progress) => channel.send({ id, progress } satisfies JobProgress),
      ask: (question, given) => questions.ask(id, question, given),
      onClose: (release) => releases.push(release),
    };
    const output = await job(input, context);
    if (output instanceof WithBytes) send({ id, ok: true, output: output.output, hasBytes: true }, output.bytes);
    else send({ id, ok: true, output });
  } catch (error) {
    send({ id, ok: false, ...describeFailure(error) });
  }
}

function lowerOnce(): void {
  lowerPriority?.();
  lowerPriority = undefined;
}

async function load(file: string): Promise<JobFunction<unknown, unknown>> {
  if (!isJobFile(file)) throw new Error(`${file} holds no job`);
  const { default: job } = (await import(pathToFileURL(file).href)) as { default: JobFunction<unknown, unknown> };
  jobs.set(file, job);
  return job;
}

/** Whether a file is part of Hostkeep: a caller in foreign hands could name a customer's. */
function isJobFile(file: string): boolean {
  return file === resolve(file) && file.startsWith(`${CODE}/`) && /-job\.[jt]s$/.test(file);
}

function send(reply: JobReply, bytes?: Uint8Array): void {
  channel.send(reply, bytes);
}

/** Kills itself, because `process.exit` waits for all threads, and so for a file system that does not answer. */
async function end(): Promise<void> {
  try {
    for (const release of releases) await release();
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
