import { open, rename, stat } from 'node:fs/promises';
import { undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';
import { LOGIN_SECONDS } from './proftpd-config.ts';

/** The last time that somebody logged in with a login. */
export interface LastLogin {
  readonly login: string;
  /** Milliseconds since 1970, of whole seconds. */
  readonly at: number;
  readonly address: string;
}

/** How long a file is kept after the next was begun: a connection that has opened it may still log in. */
const KEPT_MS = (LOGIN_SECONDS + 10) * 1000;
/** Of each file, from its end: beyond that, somebody tries passwords, and all of them are wrong. */
const MOST_BYTES = 1 << 20;
/** As `LOG_FORMAT` writes who has logged in. A name stands there only once ProFTPD knows that it is one of ours. */
const LINE = /^(\d{1,12}) ([0-9a-f.:]{2,45}) PASS 230 (\S{1,64})$/;

/** Reads what ProFTPD writes of each attempt to log in, again and again until that is no longer kept. */
export class LoginLog {
  readonly #path: string;
  readonly #old: string;
  readonly #keptMs: number;

  constructor(path: string, keptMs = KEPT_MS) {
    this.#keptMs = keptMs;
    this.#path = path;
    this.#old = `${path}.old`;
  }

  /** Resolves with the last login of each name in the last minute at least. */
  async recent(): Promise<LastLogin[]> {
    const last = new Map<string, LastLogin>();
    for (const path of [this.#old, this.#path])
      for (const line of (await readEnd(path)).split('\n').slice(0, -1)) {
        const [, seconds = '', address = '', login = ''] = LINE.exec(line) ?? [];
        const at = Number(seconds) * 1000;
        // A connection that opened the old file may log in after one that opened the next.
        if (login !== '' && at >= (last.get(login)?.at ?? 0)) last.set(login, { login, at, address });
      }
    const begun = await stat(this.#old).catch(undefinedIfMissing);
    if (begun === undefined || Math.abs(Date.now() - begun.ctimeMs) > this.#keptMs)
      await rename(this.#path, this.#old).catch(undefinedIfMissing);
    return [...last.values()];
  }
}

async function readEnd(path: string): Promise<string> {
  const file = await open(path).catch(undefinedIfMissing);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, MOST_BYTES));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
