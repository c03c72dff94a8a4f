import { fstatSync } from 'node:fs';
import { pino, destination, symbols, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Members whose values are never logged, at the top level or one level down. */
const SECRETS = ['password', 'new_password', 'token', 'authorization', 'secret', 'twofa_code', 'recovery_codes', 'key'];

/** The priorities of systemd's journal, each with the lowest level of pino that it stands for; see sd-daemon(3). */
const PRIORITIES = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
  [0, 7],
] as const;

/** Writes lines for the journal, each with its priority; the journal takes that off again. */
class JournalStream {
  readonly [symbols.needsMetadataGsym] = true;
  /** Set by pino before each line. */
  lastLevel = 30;
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  write(line: string): void {
    const [, priority] = PRIORITIES.find(([level]) => this.lastLevel >= level) ?? [0, 6];
    this.#write(`<${priority}>${line}`);
  }
}

/** Whether an output is the journal's, and not a file or a pipe of whoever was started by a service; see systemd.exec(5). */
function isJournal(fd: 1 | 2): boolean {
  const { dev, ino } = fstatSync(fd);
  return process.env['JOURNAL_STREAM'] === `${dev}:${ino}`;
}

/** Returns standard output, 1, or standard error, 2, where standard output is what a command was asked for. */
export function outputAt(fd: 1 | 2): DestinationStream {
  const output = destination({ fd, sync: true });
  return isJournal(fd) ? new JournalStream((line) => void output.write(line)) : output;
}

/**
 * Returns a log that writes one JSON object per line, to standard output unless told otherwise; JSON escapes control characters.
 * Where that is the journal's, each line begins with its priority.
 */
export function createLog(level: string, to: DestinationStream = outputAt(1)): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...SECRETS.flatMap((name) => [name, `*.${name}`]), 'body.code'], censor: '[redacted]' },
    },
    to,
  );
}

/** The minimum time between two log lines of one recurring fault. */
const REPEAT_MS = 10_000;

/** Returns a value as JSON for a line of the log: without the values of `SECRETS`, at any depth, and without private keys. */
export function withoutSecrets(value: unknown): string | undefined {
  const names = new Set(SECRETS);
  return JSON.stringify(value, (name, each: unknown) => {
    const isSecret = names.has(name) || (typeof each === 'string' && each.includes('PRIVATE KEY'));
    return isSecret && each !== null ? '[redacted]' : each;
  });
}

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
