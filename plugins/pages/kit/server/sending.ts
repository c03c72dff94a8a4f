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

/** Removes files and folders of the account by their paths, and tells what became of it. */
export type RemoveFiles = (paths: readonly string[]) => Promise<void>;
