/** The base of countries that is installed with Hostkeep, in [MaxMind's format](https://maxmind.github.io/MaxMind-DB/). */
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { replaceFile } from '../files/atomic-file.ts';

export const COUNTRY_PACKAGE = '@ip-location-db/geo-whois-asn-country-mmdb';

const require = createRequire(import.meta.url);
const METADATA = Buffer.from('\u00ab\u00cd\u00efMaxMind.com', 'latin1');
/** A record: a map of one member, whose name is written out at first, and pointed to afterwards. */
const RECORD = /\u00e1(?:Lcountry_code| \u0001)B([A-Z]{2})/gy;
const FIRST_RECORD = Buffer.from('\u00e1Lcountry_codeB', 'latin1');
/** By its type goaccess sees what a base holds; both have 14 characters. */
const [TYPE, NESTED_TYPE] = ['Ncountry ipvAll', 'Nnested-Country'];
/** The first byte of a pointer that is followed by 32 bits. */
const POINTER = 0x38;
/** The longest text whose length is in its first byte. */
const SHORT = 28;

/** Returns the path. Only of the combined file: the one for IPv4 alone returns wrong results for IPv6. Throws without one. */
export const countryBase = (): string => require.resolve(`${COUNTRY_PACKAGE}/geo-whois-asn-country.mmdb`);

/** Writes the base in the form that goaccess reads into a folder, and resolves with its path. */
export async function writeNestedBase(folder: string): Promise<string> {
  const path = join(folder, 'countries.mmdb');
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await replaceFile(path, nestedBase(await readFile(countryBase())), { mode: 0o644 });
  return path;
}

/**
 * Returns the base with the members that goaccess reads, `country.iso_code` and `country.names.en`, in place of a flat
 * `country_code`. The search tree stays: each record becomes a pointer to one behind the others. Throws for another base.
 */
export function nestedBase(base: Buffer): Buffer {
  const [start, end] = [base.indexOf(FIRST_RECORD), base.lastIndexOf(METADATA)];
  const metadata = base.toString('latin1', end);
  if (start < 0 || end < start || !metadata.includes(TYPE)) throw new Error('the base of countries has another form');
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  const records = Buffer.from(base.subarray(start, end));
  const nested: Buffer[] = [];
  let [read, sizeBytes] = [0, records.length];
  for (const { index, 0: record, 1: code = '' } of records.toString('latin1').matchAll(RECORD)) {
    const country = encoded({ country: { iso_code: code, names: { en: names.of(code) ?? code } } });
    records.writeUInt8(POINTER, index);
    records.writeUInt32BE(sizeBytes, index + 1);
    nested.push(country);
    sizeBytes += country.length;
    read = index + record.length;
  }
  if (read !== records.length) throw new Error('the base of countries has a record of another form');
  return Buffer.concat([
    base.subarray(0, start),
    records,
    ...nested,
    Buffer.from(metadata.replace(TYPE, NESTED_TYPE), 'latin1'),
  ]);
}

interface Members {
  readonly [name: string]: string | Members;
}

function encoded(value: string | Members): Buffer {
  if (typeof value !== 'string') {
    const members = Object.entries(value);
    return Buffer.concat([
      Buffer.of(0xe0 | members.length),
      ...members.flatMap(([name, member]) => [encoded(name), encoded(member)]),
    ]);
  }
  const text = Buffer.from(value);
  const head = text.length <= SHORT ? [0x40 | text.length] : [0x40 | (SHORT + 1), text.length - SHORT - 1];
  return Buffer.concat([Buffer.from(head), text]);
}
