import { allAreas } from '../area.ts';
import { againAfterLogin } from './api.ts';
import { loadModule } from './load-module.ts';
import { mayUse } from './session.ts';

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
  const sender = allAreas().flatMap((area) => area.sender ?? [])[0];
  if (sender === undefined || sizeBytes < sender.minBytes || !mayUse(sender.features)) return undefined;
  return (file) => againAfterLogin('POST', async () => (await loadModule(sender.load)).default(file));
}
