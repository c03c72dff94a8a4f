import { pino, destination, type Logger } from 'pino';

export type Log = Logger;

/** Members whose values are never logged, at the top level or one level down. */
const SECRETS = ['password', 'new_password', 'token', 'authorization', 'secret', 'twofa_code', 'recovery_codes', 'key'];

/** Returns a log that writes one JSON object per line to standard output; JSON escapes control characters. */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...SECRETS.flatMap((name) => [name, `*.${name}`]), 'body.code'], censor: '[redacted]' },
    },
    destination({ fd: 1, sync: true }),
  );
}

/** The minimum time between two log lines of one recurring fault. */
const REPEAT_MS = 10_000;

/** Keeps a fault that recurs at every poll from filling the log: each key is due once every ten seconds. */
export class LogThrottle {
  readonly #loggedAt = new Map<string, number>();

  isDue(key: string): boolean {
    const now = performance.now();
    if (now - (this.#loggedAt.get(key) ?? -REPEAT_MS) < REPEAT_MS) return false;
    this.#loggedAt.set(key, now);
    return true;
  }
}

/**
 * Escapes control, line-breaking and bidirectional characters as `\xNN` or `\uNNNN`, so that names from outside cannot
 * break or disguise a line of the log or of a terminal.
 */
export function escapeControl(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}
