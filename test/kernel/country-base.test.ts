import { readFileSync } from 'node:fs';
import { type CountryResponse, Reader } from 'maxmind';
import * as assert from '../support/assert.ts';
import { countryBase, nestedBase } from '../../kernel/kit/net/country-base.ts';
import { testSuite } from '../support/suite.ts';

const test = testSuite('base of countries');
const base = readFileSync(countryBase());

test('a base of another form is refused, and not half changed', () => {
  const known = base.lastIndexOf('US', undefined, 'latin1');
  const changed = Buffer.from(base).fill('u', known, known + 1);
  const other = Buffer.from(base.toString('latin1').replace('Ncountry ipvAll', 'Ncity ipvAll...'), 'latin1');
  for (const faulty of [Buffer.alloc(0), Buffer.from('<html>'), base.subarray(0, -200), changed, other])
    assert.throws(() => nestedBase(faulty), /form/);
});

test('each address keeps its country, in the members that goaccess reads', () => {
  const flat = new Reader<{ country_code: string } & CountryResponse>(base);
  const made = nestedBase(base);
  const nested = new Reader<CountryResponse>(made);
  const names = new Map<string, string | undefined>();
  for (let i = 0; i < 60_000; i += 1) {
    const ip = [24, 16, 8, 0].map((bits) => (Math.imul(i, 0x9e3779b1) >>> bits) & 255).join('.'); // all over the range
    const { country } = nested.get(ip) ?? {};
    assert.is(country?.iso_code, flat.get(ip)?.country_code, ip);
    if (country !== undefined) names.set(country.iso_code, country.names.en);
  }
  assert.is(nested.get('2a00:1450::1')?.country?.iso_code, 'IE');
  assert.is(names.get('DE'), 'Germany');
  assert.ok(names.size > 150, `${names.size}`);
  const long = 'South Georgia & South Sandwich Islands'; // of more than 28 bytes, and seldom met
  assert.ok(made.includes(Buffer.from(`]${String.fromCodePoint(long.length - 29)}${long}`)));
});
