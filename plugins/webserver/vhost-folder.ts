import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const TEMPORARY = /^\.hostkeep-[0-9a-f]+\.tmp$/;

/** The folder that the web server includes. A file in it is either the old one or the new one, also after a power cut. */
export class VhostFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async make(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o755 });
  }

  /** Names of all files; what a killed process left half-written is removed. */
  async names(): Promise<string[]> {
    const names = await readdir(this.path);
    for (const name of names) if (TEMPORARY.test(name)) await rm(join(this.path, name), { force: true });
    return names.filter((name) => !TEMPORARY.test(name));
  }

  /** `undefined` when there is no such file. */
  async read(name: string): Promise<string | undefined> {
    return readFile(join(this.path, name), 'utf8').catch(undefinedWhenMissing);
  }

  /** Milliseconds since 1970; `undefined` when there is no such file. */
  async changedAt(name: string): Promise<number | undefined> {
    return (await stat(join(this.path, name)).catch(undefinedWhenMissing))?.mtimeMs;
  }

  /** Replaces a file, or removes it where `content` is `undefined`; `sync` makes it last. */
  async put(name: string, content: string | undefined): Promise<void> {
    if (content === undefined) return rm(join(this.path, name), { force: true });
    const temporary = join(this.path, `.hostkeep-${randomBytes(8).toString('hex')}.tmp`);
    const file = await open(temporary, 'wx', 0o644);
    try {
      await file.writeFile(content);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(this.path, name));
  }

  async sync(): Promise<void> {
    const folder = await open(this.path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

function undefinedWhenMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
