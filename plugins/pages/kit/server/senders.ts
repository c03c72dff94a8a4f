import { allAreas, type Area } from '../area.ts';
import { againAfterLogin } from './api.ts';
import { loadModule } from './load-module.ts';
import { mayOpen } from './session.ts';

/** A file that is sent to a path of the account. */
export interface FileToSend {
  readonly file: File;
  readonly path: string;
  readonly mayReplace: boolean;
  /** Aborted to end it: with the reason `PAUSED`, what has arrived stays, and the next time goes on from there. */
  readonly signal: AbortSignal;
  /** Called with the number of bytes that arrived so far. */
  readonly onProgress: (doneBytes: number) => void;
}
/** Sends a file so that it goes on after the connection broke. Rejects with `ApiError`, or with the reason of the signal. */
export type SendFile = (file: FileToSend) => Promise<void>;

export const PAUSED = 'paused';

/** Returns what sends a file of this size so that it goes on after the connection broke; `undefined` where nothing does. */
export function resumableSender(sizeBytes: number): SendFile | undefined {
  const sender = firstOpen('sender');
  if (sender === undefined || sizeBytes < sender.minBytes) return undefined;
  return (file) => againAfterLogin('POST', async () => (await loadModule(sender.load)).default(file));
}

/** Small files that are sent together. */
export interface BatchToSend {
  readonly files: readonly Pick<FileToSend, 'file' | 'path' | 'mayReplace'>[];
  readonly signal: AbortSignal;
  /** Called with the number of bytes that went so far. */
  readonly onProgress: (doneBytes: number) => void;
}
/** Why each file was refused, in their order: the code of the error, and a text in English; null for one that has its place. */
export type BatchOutcome = readonly { readonly error: string | null; readonly detail: string | null }[];
/** Sends small files in one request. Rejects with `ApiError`, or with the reason of the signal. */
export type SendBatch = (batch: BatchToSend) => Promise<BatchOutcome>;

/** Returns what sends small files together; `undefined` where nothing does. */
export function batchSender(): SendBatch | undefined {
  const sender = firstOpen('batches');
  return sender && (async (batch) => (await loadModule(sender.load)).default(batch));
}

/** Removes files and folders of the account by their paths, and tells what became of it. */
export type RemoveFiles = (paths: readonly string[]) => Promise<void>;

/** Returns what removes files; `undefined` where nothing does. */
export function fileRemover(): RemoveFiles | undefined {
  const removal = firstOpen('removal');
  return removal && (async (paths) => (await loadModule(removal.load)).default(paths));
}

function firstOpen<K extends 'sender' | 'batches' | 'removal'>(kind: K): Area[K] | undefined {
  return allAreas().find((area) => area[kind] !== undefined && mayOpen(area, area[kind].features))?.[kind];
}
