import { signal } from '@preact/signals';
import {
  api,
  ApiError,
  batchSender,
  changed,
  PAUSED,
  resumableSender,
  t,
  textOr,
  toast,
  toastError,
  transfer,
} from '../../../pages/kit/index.ts';
import { contentPath } from '../place.ts';
import type { Selection } from './dropped.ts';

/** Fewer than the server allows an account by default, so that somebody who uploads can still download. */
const CONCURRENCY = 3;
/** Files that are sent together, in one request: small ones, up to so many, and so many bytes. */
const [SMALL_BYTES, GROUP_BYTES, GROUP_FILES] = [256 << 10, 1 << 20, 100];
/** How often the server may have too much to do before a transfer counts as failed. */
const TRIES = 10;

export interface Transfer {
  readonly id: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly file: File;
  abort: AbortController;
  /** Those that are sent by the same request, with it. */
  together: readonly Transfer[];
  state: 'waiting' | 'running' | 'paused' | 'done' | 'failed' | 'exists' | 'canceled';
  /** Whether it can be paused, and goes on where it was. */
  readonly isResumable: boolean;
  doneBytes: number;
  tries: number;
  mayReplace: boolean;
  error?: unknown;
}

/** How long a change waits to be drawn together with those after it: each file of thousands makes several. */
const DRAWN_MS = 100;

/** All transfers since the list was last cleared. Its members change, and `ticks` tells that they did. */
let all: Transfer[] = [];
/** In turn; some were canceled since. */
const waiting: Transfer[] = [];
/** By what ends them. */
const running = new Set<AbortController>();
/** Whether the server takes small files together, as far as is known. */
let hasBatches = true;
const ticks = signal(0);
let drawing: number | undefined;
let lastId = 0;

/** Returns all transfers, and follows how they do. */
export function transfers(): readonly Transfer[] {
  void ticks.value;
  return all;
}

export const isOpen = ({ state }: Transfer) => state === 'waiting' || state === 'running' || state === 'paused';

function tick(): void {
  drawing ??= window.setTimeout(() => {
    drawing = undefined;
    ticks.value += 1;
  }, DRAWN_MS);
}

function begin(transfer: Pick<Transfer, 'path' | 'sizeBytes' | 'file'>): Transfer {
  const rest = { abort: new AbortController(), together: [], doneBytes: 0, tries: 0, mayReplace: false };
  const isResumable = resumableSender(transfer.sizeBytes) !== undefined;
  return { id: (lastId += 1), isResumable, ...transfer, ...rest, state: 'waiting' };
}

/** Makes the folders that were chosen with their files, and then sends the files. */
export async function upload(folder: string, { files, folders }: Selection): Promise<void> {
  try {
    for (const each of folders) await makeFolder(`${folder}/${each}`);
  } catch (error) {
    toastError(error);
    return;
  } finally {
    if (folders.length > 0) changed();
  }
  const added = files.map(({ path, file }) => begin({ path: `${folder}/${path}`, sizeBytes: file.size, file }));
  all = [...all.filter(isOpen), ...added];
  waiting.push(...added);
  pump();
}

async function makeFolder(path: string): Promise<void> {
  try {
    await api('POST /api/files/folders', { body: { path } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'file_exists') throw error;
  }
}

export function cancel(some: readonly Transfer[]): void {
  for (const each of some.filter(isOpen)) {
    const wasPaused = each.state === 'paused';
    each.state = 'canceled';
    // the others of a request may be in their places already
    if (!each.together.some(({ state }) => state === 'running')) stop(each.abort);
    if (wasPaused) void forget(each);
  }
  pump();
}

/** Stops what goes on later where it was. */
export function pause(one: Transfer): void {
  one.state = 'paused';
  stop(one.abort, PAUSED);
  pump();
}

function stop(transfer: AbortController, reason?: unknown): void {
  running.delete(transfer);
  transfer.abort(reason);
}

/** Removes what had arrived of a file before it was paused. */
async function forget(one: Transfer): Promise<void> {
  one.abort = new AbortController();
  one.abort.abort();
  await put(one).catch((error: unknown) => error instanceof ApiError && toastError(error));
}

/** Sends again what failed, or what exists and shall be replaced. */
export function again(some: readonly Transfer[], mayReplace: boolean): void {
  for (const each of some) {
    const doneBytes = each.isResumable ? each.doneBytes : 0;
    Object.assign(each, { state: 'waiting', tries: 0, doneBytes, mayReplace, abort: new AbortController() });
  }
  waiting.push(...some);
  pump();
}

/** Forgets what is over. */
export function clear(): void {
  all = all.filter(isOpen);
  tick();
}

function pump(): void {
  while (running.size < CONCURRENCY && waiting.length > 0) {
    const group = nextGroup();
    if (group.length > 0) void run(group);
  }
  tick();
}

/** Takes the next file out of those that wait, and if it is small, those after it. */
function nextGroup(): Transfer[] {
  const most = hasBatches && batchSender() !== undefined ? GROUP_FILES : 1;
  const group: Transfer[] = [];
  for (let sizeBytes = 0; group.length < most && waiting[0] !== undefined;) {
    const [next] = waiting;
    sizeBytes += next.sizeBytes;
    if (group.length > 0 && next.state === 'waiting' && (!isSmall(next) || sizeBytes > GROUP_BYTES)) break;
    waiting.shift();
    if (next.state !== 'waiting') sizeBytes -= next.sizeBytes;
    else group.push(next);
    if (!isSmall(next)) break;
  }
  return group;
}

const isSmall = ({ sizeBytes }: Transfer) => sizeBytes <= SMALL_BYTES;

async function run(group: readonly Transfer[]): Promise<void> {
  const abort = (group[0] as Transfer).abort;
  running.add(abort);
  for (const each of group) Object.assign(each, { state: 'running', abort, together: group });
  try {
    await (group.length === 1 ? putOne(group[0] as Transfer) : putTogether(group));
  } catch (error) {
    if (!abort.signal.aborted && isBusy(error) && group.every((each) => (each.tries += 1) < TRIES)) {
      setTimeout(() => runAgain(group), (error.retryAfter ?? 1) * 1000);
      return;
    }
    if (!abort.signal.aborted) for (const each of group) fail(each, error);
  }
  running.delete(abort);
  pump();
  if (running.size === 0 && !all.some(isOpen)) finish();
}

function runAgain(group: readonly Transfer[]): void {
  const left = group.filter(({ state }) => state === 'running');
  if (left.length > 0) void run(left);
}

function fail(one: Transfer, error: unknown): void {
  if (one.state !== 'running') return; // canceled meanwhile
  const exists = error instanceof ApiError && error.code === 'file_exists';
  Object.assign(one, { state: exists ? 'exists' : 'failed', error });
}

const isBusy = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'overloaded';

/** Shows how far a request is, whose files come one after another. */
function progress({ abort, together }: Transfer) {
  return {
    signal: abort.signal,
    onProgress: (doneBytes: number) => {
      let left = doneBytes;
      for (const each of together) left -= each.doneBytes = Math.min(left, each.sizeBytes);
      tick();
    },
  };
}

async function putOne(one: Transfer): Promise<void> {
  await put(one);
  one.state = 'done';
}

/** Sends files in one request. What was canceled meanwhile is told as it is: the file may have its place. */
async function putTogether(group: readonly Transfer[]): Promise<void> {
  try {
    const outcome = (await batchSender()?.({ files: group, ...progress(group[0] as Transfer) })) ?? [];
    for (const [i, each] of group.entries()) {
      const { error = null, detail = null } = outcome[i] ?? {};
      if (error === null) each.state = 'done';
      else fail(each, new ApiError(422, { error, title: textOr(`files.error.${error}`, detail ?? error) }));
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error; // this server takes them one by one
    hasBatches = false;
    for (const each of group) if (each.state === 'running') each.state = 'waiting';
    waiting.unshift(...group);
  }
}

async function put(one: Transfer): Promise<void> {
  const send = one.isResumable ? resumableSender(one.sizeBytes) : undefined;
  try {
    if (send !== undefined) return await send({ ...one, ...progress(one) });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error; // this server has no such uploads
  }
  const headers = { ...(!one.mayReplace && { 'If-None-Match': '*' }) };
  await transfer(contentPath(one.path), { method: 'PUT', body: one.file, headers, ...progress(one) });
}

/** Says once what became of all; what failed stays in sight. */
function finish(): void {
  const n = all.filter(({ state }) => state === 'done').length;
  if (n > 0) {
    toast(t('files.uploaded', { n }));
    changed();
  }
  if (all.every(({ state }) => state === 'done' || state === 'canceled')) clear();
}

/** A page that goes would take unfinished transfers with it; the browser asks first. */
window.addEventListener('beforeunload', (event) => all.some(isOpen) && event.preventDefault());
