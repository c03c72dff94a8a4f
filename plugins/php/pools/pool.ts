import { createHash } from 'node:crypto';
import { fail as refuse } from '../../../kernel/errors.ts';
import { readBoolean, readInteger, readList, readMembers, readText } from '../../../kernel/kit/verb-arguments.ts';
import { DIRECTIVES, isValue } from '../ini/directives.ts';
import type { IniValue } from '../ini/ini-text.ts';

/** How scripts run. Domains of an account for which this is the same share the processes. */
export interface Pool {
  /** Such as 8.2. */
  readonly version: string;
  /** Scripts that run at once. */
  readonly workers: number;
  readonly memoryMib: number;
  readonly uploadMib: number;
  /** How long a script may take. */
  readonly seconds: number;
  readonly showsErrors: boolean;
  readonly timezone: string;
  /** The directives that the customer sets beside these, each once. */
  readonly ini: readonly IniValue[];
}

/** With less memory scripts of applications do not even begin. */
export const SMALLEST_MIB = 16;
export const LARGEST = { workers: 200, memoryMib: 8192, uploadMib: 16_384, seconds: 3600 } as const;
export const VERSION = /^[0-9]{1,2}\.[0-9]{1,2}$/;
export const POOL_NAME = /^[0-9]{1,2}\.[0-9]{1,2}-[0-9a-f]{12}$/;
const TIMEZONE = /^[A-Za-z0-9_+-]{1,32}(\/[A-Za-z0-9_+-]{1,32}){0,2}$/;

/** Checks a pool again, whatever the service has checked. Errors: 400 `invalid_request`. */
export function readPool(value: unknown): Pool {
  const names = [
    ...(['version', 'workers', 'memoryMib', 'uploadMib', 'seconds', 'showsErrors', 'timezone', 'ini'] as const),
  ];
  const given = readMembers(value, names);
  return {
    version: readText(given.version, VERSION),
    workers: readInteger(given.workers, 1, LARGEST.workers),
    memoryMib: readInteger(given.memoryMib, SMALLEST_MIB, LARGEST.memoryMib),
    uploadMib: readInteger(given.uploadMib, 1, LARGEST.uploadMib),
    seconds: readInteger(given.seconds, 1, LARGEST.seconds),
    showsErrors: readBoolean(given.showsErrors),
    timezone: readText(given.timezone, TIMEZONE),
    ini: readValues(given.ini),
  };
}

function readValues(given: unknown): IniValue[] {
  const values = readList(given, DIRECTIVES.size, (item): IniValue => {
    const [name, value] = readList(item, 2, (text) => readText(text, /^/));
    const directive = DIRECTIVES.get(name ?? '');
    if (name === undefined || value === undefined || directive === undefined || !isValue(directive, value))
      throw refuse.invalid_request('expected a directive that customers may set, and its value');
    return [name, value];
  });
  if (new Set(values.map(([name]) => name)).size < values.length)
    throw refuse.invalid_request('expected each directive once');
  return values;
}

/** Returns the name of a pool among those of its account: another one for whatever makes its processes other ones. */
export function poolName(pool: Pool, disabled: readonly string[]): string {
  const text = JSON.stringify([Object.entries(pool).toSorted(([a], [b]) => (a < b ? -1 : 1)), disabled]);
  return `${pool.version}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}
