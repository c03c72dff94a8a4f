import { pino, destination, type Logger } from 'pino';

export type Log = Logger;

/** Members whose values never reach the log, at the top and one level down, whoever logs them. */
const SECRETS = ['password', 'new_password', 'token', 'authorization', 'secret', 'twofa_code', 'recovery_codes', 'key'];

/** One JSON object a line on standard output; control characters of foreign text are escaped by JSON itself. */
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

/** How often a fault that clients keep polling into is logged. */
const REPEAT_MS = 10_000;

/** Keeps a fault that recurs at every poll from filling the log: each key is due once in ten seconds. */
export class LogThrottle {
  readonly #loggedAt = new Map<string, number>();

  isDue(key: string): boolean {
    const now = performance.now();
    if (now - (this.#loggedAt.get(key) ?? -REPEAT_MS) < REPEAT_MS) return false;
    this.#loggedAt.set(key, now);
    return true;
  }
}
