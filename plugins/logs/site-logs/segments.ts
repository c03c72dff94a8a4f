import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere, undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';

export const KINDS = ['access', 'error'] as const;
export type Kind = (typeof KINDS)[number];

/** One file of a site's log. */
export interface Segment {
  readonly path: string;
  readonly number: number;
  readonly sizeBytes: number;
  /** When it was written last, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** The folders of all sites. */
export class SiteFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  folder(domainId: number): string {
    return join(this.#root, String(domainId));
  }

  path(domainId: number, kind: Kind, segment: number): string {
    return join(this.folder(domainId), `${kind}.${segment}.log`);
  }

  /** Returns the files of a site's log, the oldest first. */
  async segments(domainId: number, kind: Kind): Promise<Segment[]> {
    const names = await readdir(this.folder(domainId)).catch(undefinedIfMissing);
    const found = await Promise.all(
      (names ?? []).map(async (name): Promise<Segment[]> => {
        const [named, number, ending] = name.split('.');
        if (named !== kind || ending !== 'log') return [];
        const path = join(this.folder(domainId), name);
        const info = await stat(path).catch(undefinedIfMissing); // a rotation may have removed it meanwhile
        if (info === undefined) return [];
        return [{ path, number: Number(number), sizeBytes: info.size, changedAt: info.mtimeMs }];
      }),
    );
    return found.flat().toSorted((a, b) => a.number - b.number);
  }

  /** Returns the ids of the domains that have a folder. */
  async ids(): Promise<number[]> {
    return ((await readdir(this.#root).catch(undefinedIfMissing)) ?? []).map(Number).filter(Number.isSafeInteger);
  }

  /** Resolves with whether there was one. */
  async remove(domainId: number): Promise<boolean> {
    const wasThere = await isThere(this.folder(domainId));
    await rm(this.folder(domainId), { recursive: true, force: true });
    return wasThere;
  }
}

/** Opens a file of a log while `use` runs; resolves with `undefined` if a rotation has removed it. */
export async function reading<T>(
  path: string,
  use: (read: (buffer: Buffer, sizeBytes: number, position: number) => Promise<number>) => Promise<T>,
): Promise<T | undefined> {
  const file = await open(path, 'r').catch(undefinedIfMissing);
  if (file === undefined) return undefined;
  try {
    return await use(
      async (buffer, sizeBytes, position) => (await file.read(buffer, 0, sizeBytes, position)).bytesRead,
    );
  } finally {
    await file.close();
  }
}
