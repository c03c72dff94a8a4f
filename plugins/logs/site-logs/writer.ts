import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import type { Site } from '../follower/sites.ts';
import type { GrowingFile } from '../store.ts';
import type { Kind, SiteFolders } from './segments.ts';

const DAY_MS = 86_400_000;

interface Growing extends GrowingFile {
  sizeBytes: number;
  segment: number;
  since: number;
  /** Whether it was written since the start; what a killed process wrote beyond `sizeBytes` is cut off before that. */
  isOpened: boolean;
}

/** The files of sites that grow. What is appended counts once `changed` is in the local store: a killed process repeats it. */
export class SiteWriter {
  readonly #folders: SiteFolders;
  readonly #files = new Map<string, Growing>();
  readonly #changed = new Set<Growing>();

  constructor(folders: SiteFolders, files: readonly GrowingFile[]) {
    this.#folders = folders;
    this.begin(files);
  }

  /** Goes on with files as they are stored. */
  begin(files: readonly GrowingFile[]): void {
    for (const file of files) this.#files.set(keyOf(file.domainId, file.kind), { ...file, isOpened: false });
  }

  /** Appends lines. Rejects with the system's error: the writer is then to be made anew. */
  async append({ domainId, accountId }: Site, kind: Kind, lines: readonly string[]): Promise<void> {
    const key = keyOf(domainId, kind);
    const begun = { segment: 1, sizeBytes: 0, since: Date.now(), isOpened: false };
    const file = this.#files.get(key) ?? { domainId, kind, accountId, ...begun };
    this.#files.set(key, file);
    const bytes = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
    if (!file.isOpened) await mkdir(this.#folders.folder(domainId), { recursive: true, mode: 0o700 });
    const path = this.#folders.path(domainId, kind, file.segment);
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      if (!file.isOpened) await handle.truncate(file.sizeBytes);
      for (let done = 0; done < bytes.length;)
        done += (await handle.write(bytes, done, bytes.length - done, file.sizeBytes + done)).bytesWritten;
    } finally {
      await handle.close();
    }
    file.isOpened = true;
    file.sizeBytes += bytes.length;
    this.#changed.add(file);
  }

  /** Returns the files that have grown since the last call. */
  takeChanged(): GrowingFile[] {
    const changed = [...this.#changed].map((file) => ({ ...file }));
    this.#changed.clear();
    return changed;
  }

  /** Ends files that are large or were begun on another day, once they are stored; returns the sites that have new ones. */
  rotate(files: readonly GrowingFile[], mostBytes: (accountId: number) => number): GrowingFile[] {
    const today = Math.floor(Date.now() / DAY_MS);
    const ended: GrowingFile[] = [];
    for (const { domainId, kind } of files) {
      const file = this.#files.get(keyOf(domainId, kind));
      if (file === undefined) continue;
      if (file.sizeBytes < mostBytes(file.accountId) && Math.floor(file.since / DAY_MS) === today) continue;
      Object.assign(file, { segment: file.segment + 1, sizeBytes: 0, since: Date.now(), isOpened: false });
      ended.push(file);
    }
    return ended;
  }

  forget(domainId: number, kinds: readonly Kind[]): void {
    for (const kind of kinds) {
      const file = this.#files.get(keyOf(domainId, kind));
      if (file !== undefined) this.#changed.delete(file);
      this.#files.delete(keyOf(domainId, kind));
    }
  }
}

const keyOf = (domainId: number, kind: Kind): string => `${domainId} ${kind}`;
