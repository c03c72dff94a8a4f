import type { Account } from '../../kernel/identity/accounts/account.ts';
import { fail } from './errors.ts';
import { readIni } from './ini/ini-text.ts';
import { LARGEST, SMALLEST_MIB, type Pool } from './pools/pool.ts';
import type { NewPhpOptions, PhpConfig, PhpOptions } from './schema.ts';
import type { Site } from './store.ts';

/** The largest values that an account may choose. */
export interface Bounds {
  readonly workers: number;
  readonly memoryMib: number;
  readonly uploadMib: number;
  readonly seconds: number;
}

/** The settings of a domain that nobody has changed. */
export const DEFAULTS = {
  ...{ version: '', memoryMib: 128, uploadMib: 64, seconds: 60, showsErrors: false, timezone: 'UTC', ini: '' },
} as const;
const ZONES = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);

/** Returns the bounds of an account by its plan, and those of the operator for all. */
export function boundsFor({ plan }: Account, config: PhpConfig): Bounds {
  return {
    workers: plan?.limits['php_workers_limit'] || LARGEST.workers,
    memoryMib: Math.max(plan?.limits['php_memory_limit_mib'] || LARGEST.memoryMib, SMALLEST_MIB),
    uploadMib: config.max_upload_mib,
    seconds: config.max_seconds,
  };
}

/** Returns how a domain's scripts run: within the bounds of now, which may be narrower than when it was set. */
export function poolFor(site: Omit<Site, 'domainId' | 'accountId'>, bounds: Bounds): Pool {
  return {
    version: site.version,
    workers: bounds.workers,
    memoryMib: Math.min(site.memoryMib, bounds.memoryMib),
    uploadMib: Math.min(site.uploadMib, bounds.uploadMib),
    seconds: Math.min(site.seconds, bounds.seconds),
    showsErrors: site.showsErrors,
    timezone: site.timezone,
    ini: readIni(site.ini).values,
  };
}

/** Returns the options of a pool, as clients see them. */
export function optionsIn({ memoryMib, uploadMib, seconds, showsErrors, timezone }: Pool): PhpOptions {
  return {
    memory_mib: memoryMib,
    upload_mib: uploadMib,
    execution_seconds: seconds,
    display_errors: showsErrors,
    timezone,
  };
}

/** Returns the changes of a site. Errors: 400 `invalid_php_option`. */
export function readOptions(given: NewPhpOptions, bounds: Bounds): Partial<Site> {
  const { memory_mib, upload_mib, execution_seconds: seconds, display_errors, timezone } = given;
  const within = (name: string, value: number, largest: number) => {
    if (value > largest) throw fail.invalid_php_option(`${name} can be ${largest} at most`, { path: `/${name}` });
    return value;
  };
  if (timezone !== undefined && !ZONES.has(timezone))
    throw fail.invalid_php_option('there is no such time zone', { path: '/timezone' });
  return {
    ...(memory_mib !== undefined && { memoryMib: within('memory_mib', memory_mib, bounds.memoryMib) }),
    ...(upload_mib !== undefined && { uploadMib: within('upload_mib', upload_mib, bounds.uploadMib) }),
    ...(seconds !== undefined && { seconds: within('execution_seconds', seconds, bounds.seconds) }),
    ...(display_errors !== undefined && { showsErrors: display_errors }),
    ...(timezone !== undefined && { timezone }),
  };
}
