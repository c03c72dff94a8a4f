import { createRequire } from 'node:module';
import type { CountryResponse } from 'maxmind';
import { errorMessage } from '../../kernel/errors.ts';
import { LogThrottle, type Log } from '../../kernel/log.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { COUNTRY_PACKAGE, countryBase } from '../../kernel/kit/net/country-base.ts';
import { isPublic } from '../../kernel/kit/net/ip.ts';
import { lazyPackage } from '../../kernel/kit/programs/lazy-package.ts';

const require = createRequire(import.meta.url);
const maxmind = lazyPackage<typeof import('maxmind')>('maxmind', import.meta.url);

type Lookup = (ip: string) => string;

/** Countries of IP addresses, from a local database (8 MB) that a process loads on first use. */
export class CountryDatabase {
  static #lookup: Promise<Lookup> | undefined;
  readonly #log: Log;
  readonly #throttle = new LogThrottle();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Resolves with a function that returns the ISO 3166-1 alpha-2 code of an address: `''` for addresses that are not
   * public or not known, and for all when the database cannot be read.
   */
  lookup(): Promise<Lookup> {
    CountryDatabase.#lookup ??= open().catch((error: unknown) => {
      CountryDatabase.#lookup = undefined; // the next login tries again
      if (this.#throttle.isDue(COUNTRY_PACKAGE))
        this.#log.error({ err: error }, 'cannot read the country database; the login history does not show countries');
      return () => '';
    });
    return CountryDatabase.#lookup;
  }
}

async function open(): Promise<Lookup> {
  const reader = await maxmind().open<CountryResponse & { readonly country_code: string }>(countryBase());
  // The database assigns countries to some special-purpose ranges.
  return (ip) => (isPublic(ip) ? (reader.get(ip)?.country_code ?? '') : '');
}

export async function countryFinding(): Promise<Finding> {
  try {
    const lookup = await open();
    const { version } = require(`${COUNTRY_PACKAGE}/package.json`) as { version: string };
    return { name: 'country database', ok: lookup('8.8.8.8') !== '', detail: `${COUNTRY_PACKAGE} ${version}` };
  } catch (error) {
    return {
      name: 'country database',
      ok: false,
      detail: errorMessage(error),
      remedy: 'install the package again; in a checkout, run `npm ci`',
    };
  }
}
