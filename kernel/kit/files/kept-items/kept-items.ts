import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { fail, HttpError } from '../../../errors.ts';
import { clearly } from '../file-errors.ts';
import { isMissing, type FilesRoot } from '../files-root.ts';
import { inOwnFolder, lookIntoOwnFolder, removeFromOwnFolder } from '../own-folder.ts';
import { entryPath } from '../safe-folder.ts';
import { openFolderSync } from '../safe-folder-sync.ts';
import { placeIn, type EntryPlace } from '../unfinished/place.ts';

/** An entry of the account that was put aside. */
export interface KeptItem<Note> {
  readonly id: string;
  /** When it was put aside (RFC 3339). */
  readonly at: string;
  readonly note: Note;
  readonly stats: Stats;
}
/** The outcome for one entry: the text that `act` returned, or an error. */
export interface KeptOutcome {
  readonly text: string;
  readonly error?: string;
  readonly detail?: string;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const [NOTE, ITEM] = ['about.json', 'item'];
const LISTED = 1000;
/** More than any note of ours takes, and what all that are listed may take in the reply of a job. */
const [NOTE_BYTES, LISTED_BYTES] = [1 << 16, 1 << 22];
/** The time, of which `Date` knows, and what nobody guesses. */
const ID = /^[a-z0-9]{1,9}-[a-f0-9]{8}$/;

/**
 * Entries that were put aside in a folder of ours, which nobody but the account enters. Each has a folder of its own there, with a note of
 * what it was, written first: a crash may leave one without an item. The account can write anything there, so that a note is read only if
 * it is a small file; one that `readNote` refuses hides its own item and no other.
 */
export class KeptItems<Note> {
  readonly #root: FilesRoot;
  readonly #folder: string;
  readonly #readNote: (json: unknown) => Note | undefined;

  /** `readNote` returns `undefined` or throws an `HttpError` for what is no note. */
  constructor(root: FilesRoot, folder: string, readNote: (json: unknown) => Note | undefined) {
    this.#root = root;
    this.#folder = folder;
    this.#readNote = readNote;
  }

  ids(): string[] {
    const names = lookIntoOwnFolder(this.#root, this.#folder, (folder) => readdirSync(entryPath(folder, '') as string));
    return (names ?? []).filter((name) => ID.test(name));
  }

  /** Returns the newest, newest first. */
  list(): KeptItem<Note>[] {
    let left = LISTED_BYTES;
    return this.ids()
      .toSorted()
      .toReversed()
      .slice(0, LISTED)
      .map((id) => this.#look(id, (item) => item))
      .filter((item) => item !== undefined)
      .filter(({ note }) => (left -= JSON.stringify(note).length) >= 0);
  }

  /** Errors: 404 `file_not_found`. */
  note(id: string): Note {
    return this.#look(id, ({ note }) => note) ?? notFound();
  }

  /** Puts aside what `move` moves to the place that it is given. Returns the id. */
  put(note: Note, move: (place: EntryPlace) => void): string {
    return inOwnFolder(this.#root, this.#folder, (folder) => {
      const id = `${Date.now().toString(36)}-${randomUUID().slice(0, 8)}`;
      mkdirSync(entryPath(folder, id), { mode: 0o700 });
      const own = openFolderSync(folder, id);
      try {
        writeFileSync(entryPath(own, NOTE), JSON.stringify(note), { flag: 'wx', mode: 0o600 });
        move(placeIn(own, ITEM));
        return id;
      } catch (error) {
        if (lstatSync(entryPath(own, ITEM), { throwIfNoEntry: false }) === undefined) removeKept(folder, id, own);
        throw error;
      } finally {
        closeSync(own);
      }
    });
  }

  /** Lets go of what `move` moves from the place that it is given. Errors: 404 `file_not_found`. */
  take(id: string, move: (place: EntryPlace, note: Note) => void): Note {
    const taken = this.#look(id, ({ note }, own, folder) => {
      move(placeIn(own, ITEM), note);
      removeKept(folder, id, own);
      return note;
    });
    return taken ?? notFound();
  }

  /**
   * Removes items for good, and what a crash has left. One that is begun is no longer there, so that nobody takes half of it; the next
   * removal finds it again. `onRemoved` is called for each file and folder. Errors: 404 `file_not_found`, 503 `files_unavailable` if
   * something stays.
   */
  async remove(ids: readonly string[], onRemoved?: () => void): Promise<void> {
    if (!ids.every((id) => ID.test(id))) notFound();
    await removeFromOwnFolder(this.#root, this.#folder, ids, {
      first: hideItem,
      onRemoved: ([, ...inItem]) => {
        if (inItem.length > 0 && inItem.join('/') !== NOTE) onRemoved?.();
      },
    });
  }

  /** Returns `undefined` where there is no such item, or no note of it. */
  #look<T>(id: string, use: (item: KeptItem<Note>, own: number, folder: number) => T): T | undefined {
    return lookIntoOwnFolder(this.#root, this.#folder, (folder) => {
      const own = ID.test(id) ? ifReadable(() => openFolderSync(folder, id)) : undefined;
      if (own === undefined) return undefined;
      try {
        const item = ifReadable(() => this.#read(id, own));
        return item && use(item, own, folder);
      } finally {
        closeSync(own);
      }
    });
  }

  #read(id: string, own: number): KeptItem<Note> | undefined {
    const stats = lstatSync(entryPath(own, ITEM));
    const file = openSync(entryPath(own, NOTE), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(NOTE_BYTES + 1);
      const length = fstatSync(file).isFile() ? readSync(file, bytes) : 0;
      if (length === 0 || length > NOTE_BYTES) return undefined;
      const note = this.#readNote(JSON.parse(bytes.toString('utf8', 0, length)));
      return note && { id, at: new Date(keptAt(id)).toISOString(), note, stats };
    } finally {
      closeSync(file);
    }
  }
}

/** Returns when an item was put aside, in milliseconds since 1970. */
export const keptAt = (id: string): number => Number.parseInt(id, 36);

/** Does something to each. An error is that of its own entry, unless it is none of a request. */
export function forEachKept<T>(all: readonly T[], act: (one: T) => string): KeptOutcome[] {
  return all.map((one) => {
    try {
      return { text: clearly(() => act(one), 'file') };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return { text: '', error: error.code, detail: error.message };
    }
  });
}

function hideItem(folder: number, id: string): void {
  ifReadable(() => {
    const own = openFolderSync(folder, id);
    try {
      renameSync(entryPath(own, ITEM), entryPath(own, `going-${randomUUID()}`));
    } finally {
      closeSync(own);
    }
  });
}

function removeKept(folder: number, id: string, own: number): void {
  unlessGone(() => unlinkSync(entryPath(own, NOTE)));
  unlessGone(() => rmdirSync(entryPath(folder, id)));
}

/** Somebody may remove the item for good at the same time. */
function unlessGone(remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Returns `undefined` for what is missing, closed, no file or folder, or no note. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const isNone = isMissing(error) || ['EACCES', 'ENXIO'].includes(code);
    if (isNone || error instanceof SyntaxError || error instanceof HttpError) return undefined;
    throw error;
  }
}

function notFound(): never {
  throw fail.file_not_found('there is no such file');
}
