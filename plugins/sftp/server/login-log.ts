import { open, rename, stat } from 'node:fs/promises';
import { undefinedIfMissing } from '../../../kernel/kit/files/if-missing.ts';

/** A time at which somebody logged in with a login, or a connection did not. */
export interface SeenLogin {
  readonly login: string;
  /** Milliseconds since 1970, of whole seconds. */
  readonly at: number;
  readonly address: string;
}

interface Seen {
  /** The last login of each name. */
  readonly logins: readonly SeenLogin[];
  /** The last connection for each name that was refused, and can no longer log in. */
  readonly failures: readonly SeenLogin[];
}

/** Longer than from one look to the next, twice. */
const LATE_MS = 40_000;
/** Of each file, from its end: beyond that, somebody tries passwords, and all of them are wrong. */
const MOST_BYTES = 1 << 20;
/** As `LOG_FORMAT` writes of an answer. The first name stands there only once ProFTPD knows that it is one of ours. */
const LINE = /^(\d{1,12}) ([0-9a-f.:]{2,45}) PASS (230|530) (\d{1,10}) (\S{1,64}) (\S{1,64})$/;

/** Reads what ProFTPD writes of each attempt to log in, again and again until that is no longer kept. */
export class LoginLog {
  readonly #path: string;
  readonly #old: string;
  readonly #loginMs: number;
  readonly #lateMs: number;

  /** `loginMs`: how long a client may take to log in. */
  constructor(path: string, loginMs: number, lateMs = LATE_MS) {
    this.#loginMs = loginMs;
    this.#lateMs = lateMs;
    this.#path = path;
    this.#old = `${path}.old`;
  }

  /** Resolves with what lines with the mark say of the last minute at least. */
  async recent(mark: string): Promise<Seen> {
    const [logins, refused] = [new Map<string, SeenLogin>(), new Map<string, SeenLogin>()];
    const letIn = new Set<string>();
    for (const path of [this.#old, this.#path])
      for (const line of (await readEnd(path)).split('\n').slice(0, -1)) {
        if (!line.startsWith(`${mark} `)) continue;
        const [, seconds, address = '', status, process = '', proven = '', sent = ''] =
          LINE.exec(line.slice(mark.length + 1)) ?? [];
        const at = Number(seconds) * 1000;
        if (status === '230') {
          letIn.add(`${process} ${proven}`);
          // A connection that opened the old file may log in after one that opened the next.
          if (at >= (logins.get(proven)?.at ?? 0)) logins.set(proven, { login: proven, at, address });
        } else if (status === '530') refused.set(`${process} ${sent}`, { login: sent, at, address });
      }
    const begun = await stat(this.#old).catch(undefinedIfMissing);
    if (begun === undefined || Math.abs(Date.now() - begun.ctimeMs) > this.#loginMs + this.#lateMs)
      await rename(this.#path, this.#old).catch(undefinedIfMissing);
    const failures = new Map<string, SeenLogin>();
    for (const [key, failure] of refused)
      // a client may be refused a key, and then let in
      if (
        !letIn.has(key) &&
        Date.now() - failure.at > this.#loginMs &&
        failure.at >= (failures.get(failure.login)?.at ?? 0)
      )
        failures.set(failure.login, failure);
    return { logins: [...logins.values()], failures: [...failures.values()] };
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
