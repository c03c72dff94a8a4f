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
