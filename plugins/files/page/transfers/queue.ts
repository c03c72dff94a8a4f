import { signal } from '@preact/signals';
import {
  api,
  ApiError,
  changed,
  PAUSED,
  resumableSender,
  t,
  toast,
  toastError,
  transfer,
} from '../../../pages/kit/index.ts';
import { contentPath } from '../place.ts';
import type { Selection } from './dropped.ts';

/** Fewer than the server allows an account by default, so that somebody who uploads can still download. */
const CONCURRENCY = 3;
/** How often the server may have too much to do before a transfer counts as failed. */
const TRIES = 10;

export interface Transfer {
  readonly id: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly file: File;
  abort: AbortController;
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
  const rest = { abort: new AbortController(), state: 'waiting', doneBytes: 0, tries: 0, mayReplace: false } as const;
  return { id: (lastId += 1), isResumable: resumableSender(transfer.sizeBytes) !== undefined, ...transfer, ...rest };
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
    stop(each.abort);
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
    const next = waiting.shift();
    if (next?.state === 'waiting') void run(next);
  }
  tick();
}

async function run(one: Transfer): Promise<void> {
  const { abort } = one;
  const { signal } = abort;
  running.add(abort);
  one.state = 'running';
  try {
    await put(one);
    one.state = 'done';
  } catch (error) {
    if (!signal.aborted && isBusy(error) && (one.tries += 1) < TRIES) {
      setTimeout(() => one.state === 'running' && void run(one), (error.retryAfter ?? 1) * 1000);
      return;
    }
    if (!signal.aborted)
      Object.assign(one, {
        state: error instanceof ApiError && error.code === 'file_exists' ? 'exists' : 'failed',
        error,
      });
  }
  running.delete(abort);
  pump();
  if (running.size === 0 && !all.some(isOpen)) finish();
}

const isBusy = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'overloaded';

function progress(one: Transfer) {
  return {
    signal: one.abort.signal,
    onProgress: (doneBytes: number) => {
      one.doneBytes = doneBytes;
      tick();
    },
  };
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
