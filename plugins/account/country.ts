import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type { CountryResponse } from 'maxmind';
import { IpRanges } from '../../kernel/system/ip.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';

/** Only the file of both families: the one for IPv4 gives wrong answers for IPv6. */
const PACKAGE = '@ip-location-db/geo-whois-asn-country-mmdb';
const FILE = `${PACKAGE}/geo-whois-asn-country.mmdb`;
const require = createRequire(import.meta.url);
/** Special-purpose addresses (IANA's registries), some of which the database gives to a country. */
const NOWHERE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/127',
  '2001:db8::/32',
  '3fff::/20',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];

type Lookup = (ip: string) => string;

/** CountryDatabase of addresses, from a local database that is read when first asked (8 MB). */
export class CountryDatabase {
  readonly #log: Log;
  #lookup: Promise<Lookup> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** What tells the ISO 3166-1 alpha-2 code of an address, `''` for private and unknown ones, and for all when the database cannot be read. */
  lookup(): Promise<Lookup> {
    this.#lookup ??= open().catch((error: unknown) => {
      this.#log.error({ err: error }, 'the country database cannot be read; the login history names no countries');
      return () => '';
    });
    return this.#lookup;
  }
}

async function open(): Promise<Lookup> {
  const { default: maxmind } = await import('maxmind');
  const reader = await maxmind.open<CountryResponse & { readonly country_code: string }>(require.resolve(FILE));
  const nowhere = new IpRanges(NOWHERE);
  return (ip) => (isIP(ip) === 0 || ip.includes('%') || nowhere.has(ip) ? '' : (reader.get(ip)?.country_code ?? ''));
}

export async function countryFinding(): Promise<Finding> {
  try {
    const lookup = await open();
    const { version } = require(`${PACKAGE}/package.json`) as { version: string };
    return { name: 'country database', ok: lookup('8.8.8.8') !== '', detail: `${PACKAGE} ${version}` };
  } catch (error) {
    return { name: 'country database', ok: false, detail: messageOf(error), remedy: 'npm ci' };
  }
}
