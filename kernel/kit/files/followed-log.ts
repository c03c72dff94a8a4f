import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { undefinedIfMissing } from './if-missing.ts';

/** How far a file was read. */
export interface ReadPosition {
  /** Of the file, whatever its name is by now; text, as it may be larger than a number. */
  readonly inode: string;
  readonly offset: number;
  /** The bytes before `offset`, by which a file is known again that was emptied or copied. */
  readonly mark: Buffer;
}

interface Source {
  readonly handle: FileHandle;
  readonly inode: string;
  offset: number;
  mark: Buffer;
  quietSince: number;
}

const CHUNK_BYTES = 1 << 20;
const MARK_BYTES = 64;
const NEWLINE = 10;
/** How long a file that was renamed may still grow, until the web server has opened the new one. */
const LINGER_MS = 10_000;
const BY_NUMBER = new Intl.Collator('en', { numeric: true });
const COMPRESSED = /\.(gz|xz|bz2|zst)$/;

/**
 * A log that another program writes, in lines that are read once each: also over a restart, when the file was renamed and begun
 * anew, and when it was copied and emptied.
 */
export class FollowedLog {
  readonly #path: string;
  readonly #lingerMs: number;
  readonly #buffer = Buffer.allocUnsafe(MARK_BYTES + CHUNK_BYTES);
  /** The oldest first; the last one has the name of the log. */
  #sources: Source[] = [];

  private constructor(path: string, lingerMs: number) {
    this.#path = path;
    this.#lingerMs = lingerMs;
  }

  /** Goes on where `positions` of an earlier one end; without any, begins with the file that has the name now. */
  static async open(path: string, positions: readonly ReadPosition[], lingerMs = LINGER_MS): Promise<FollowedLog> {
    const log = new FollowedLog(path, lingerMs);
    const known = (inode: string) => positions.find((each) => each.inode === inode);
    const rotated = await siblings(path);
    const first = rotated.findIndex(({ inode }) => known(inode) !== undefined);
    for (const each of first < 0 ? [] : rotated.slice(first))
      log.#sources.push(await openSource(each.path, known(each.inode)));
    const current = await stat(path, { bigint: true }).catch(undefinedIfMissing);
    if (current !== undefined) log.#sources.push(await openSource(path, known(String(current.ino))));
    return log;
  }

  get positions(): ReadPosition[] {
    return this.#sources.map(({ inode, offset, mark }) => ({ inode, offset, mark }));
  }

  /** Resolves with the next whole lines, each byte a character; empty while there are none. */
  async read(): Promise<string> {
    await this.#follow();
    for (const source of [...this.#sources]) {
      const text = await this.#next(source);
      if (text !== '') {
        source.quietSince = performance.now();
        return text;
      }
      const isRenamed = source !== this.#sources.at(-1);
      if (isRenamed && performance.now() - source.quietSince > this.#lingerMs) await this.#drop(source);
    }
    return '';
  }

  async close(): Promise<void> {
    for (const source of [...this.#sources]) await this.#drop(source);
  }

  /** Opens the file that has the name by now, if it is another one, and first those that had it since the last time. */
  async #follow(): Promise<void> {
    const current = await stat(this.#path, { bigint: true }).catch(undefinedIfMissing);
    const last = this.#sources.at(-1);
    if (current === undefined || last?.inode === String(current.ino)) return;
    const rotated = last === undefined ? [] : await siblings(this.#path);
    const nth = rotated.findIndex(({ inode }) => inode === last?.inode);
    const missed = nth < 0 ? [] : rotated.slice(nth + 1);
    for (const { path, inode } of [...missed, { path: this.#path, inode: String(current.ino) }]) {
      const source = await openSource(path);
      if (source.inode !== inode) return source.handle.close(); // renamed meanwhile: the next call goes on from here
      this.#sources.push(source);
    }
  }

  async #next(source: Source): Promise<string> {
    const { handle, mark } = source;
    const buffer = this.#buffer;
    const most = mark.length + CHUNK_BYTES;
    const { bytesRead } = await handle.read(buffer, 0, most, source.offset - mark.length);
    if (!isMarked(buffer, bytesRead, mark)) return this.#beginAnew(source);
    const end = bytesRead === 0 ? -1 : buffer.lastIndexOf(NEWLINE, bytesRead - 1);
    if (end >= mark.length) {
      advance(source, buffer, end + 1);
      return buffer.toString('latin1', mark.length, end + 1);
    }
    if (bytesRead === most) advance(source, buffer, bytesRead); // no line of a web server is that long
    return '';
  }

  /** Reads a file that was emptied from its begin, and first what it held, if a copy was made. */
  async #beginAnew(source: Source): Promise<string> {
    const copy = await this.#openCopy(source);
    source.offset = 0;
    source.mark = Buffer.alloc(0);
    if (copy === undefined) return this.#next(source);
    this.#sources.splice(this.#sources.indexOf(source), 0, copy);
    return (await this.#next(copy)) || this.#next(source);
  }

  async #openCopy({ offset, mark }: Source): Promise<Source | undefined> {
    const buffer = Buffer.alloc(mark.length);
    for (const { path, inode } of (await siblings(this.#path)).toReversed()) {
      if (this.#sources.some((each) => each.inode === inode)) continue;
      const copy = await openSource(path, { inode, offset, mark });
      const { bytesRead } = await copy.handle.read(buffer, 0, mark.length, offset - mark.length);
      if (isMarked(buffer, bytesRead, mark)) return copy;
      await copy.handle.close();
    }
    return undefined;
  }

  async #drop(source: Source): Promise<void> {
    this.#sources = this.#sources.filter((each) => each !== source);
    await source.handle.close();
  }
}

async function openSource(path: string, position?: ReadPosition): Promise<Source> {
  const handle = await open(path, 'r');
  const inode = String((await handle.stat({ bigint: true })).ino);
  const { offset, mark } = position?.inode === inode ? position : { offset: 0, mark: Buffer.alloc(0) };
  return { handle, inode, offset, mark, quietSince: performance.now() };
}

/** Returns what a log was rotated to, the oldest first. */
async function siblings(path: string): Promise<{ path: string; inode: string }[]> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(undefinedIfMissing);
  const [begin, end] = [basename(path, extname(path)), extname(path)];
  const isRotated = (name: string) =>
    name.startsWith(`${begin}${end}.`) || (name.startsWith(`${begin}-`) && name.endsWith(end)); // by logrotate, or by Caddy
  const rotated = (names ?? []).filter((name) => isRotated(name) && !COMPRESSED.test(name));
  const found = await Promise.all(
    rotated.map(async (name) => {
      const info = await stat(join(folder, name), { bigint: true }).catch(undefinedIfMissing);
      return info === undefined ? [] : [{ path: join(folder, name), inode: String(info.ino), at: info.mtimeNs }];
    }),
  );
  // of the same moment: logrotate counts up from the newest, and Caddy's names are times
  const byName = (a: string, b: string) => (a.endsWith(end) ? BY_NUMBER.compare(a, b) : BY_NUMBER.compare(b, a));
  return found.flat().toSorted((a, b) => Number(a.at - b.at) || byName(a.path, b.path));
}

const isMarked = (buffer: Buffer, bytesRead: number, mark: Buffer): boolean =>
  bytesRead >= mark.length && buffer.compare(mark, 0, mark.length, 0, mark.length) === 0;

/** Goes on after `end` in the buffer, which begins with the mark. */
function advance(source: Source, buffer: Buffer, end: number): void {
  source.offset += end - source.mark.length;
  source.mark = Buffer.from(buffer.subarray(Math.max(0, end - MARK_BYTES), end));
}
