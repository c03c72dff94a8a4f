import * as assert from '../../support/assert.ts';
import { isWithin, parentNames, parseDomain, publicSuffix, reversedName } from '../../../plugins/domains/names/name.ts';
import { group } from '../../../plugins/domains/views.ts';
import { testSuite } from '../../support/suite.ts';

const test = testSuite('domain names');

test('names become lower-case ASCII', () => {
  const cases: [string, string][] = [
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example.', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['xn--r8jz45g.jp', 'xn--r8jz45g.jp'],
    ['xn--mgberp4a5d4ar.example', 'xn--mgberp4a5d4ar.example'],
    ['faß.example', 'xn--fa-hia.example'],
    ['a。example', 'a.example'],
    ['1.example', '1.example'],
    ['a--b.example', 'a--b.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    ['4.3.2.1.in-addr.test', '4.3.2.1.in-addr.test'],
  ];
  for (const [text, name] of cases) assert.is(parseDomain(text).name, name, text);
});

// threat shell-injection: invalid domain names are refused
test('what is no name is refused', () => {
  const label = 'a'.repeat(63);
  const cases = [
    '',
    '.',
    'example',
    'localhost',
    'a..b',
    '.example.com',
    'example.com..',
    '-a.example',
    'a-.example',
    'a_b.example',
    'a b.example',
    '*.example.com',
    'http://example.com',
    'example.com/x',
    'example.com:80',
    'user@example.com',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '[::1]',
    '::1',
    '１２７.0.0.1',
    'xn--a.example',
    'xn--.example',
    'xn--0.example',
    'xn--abc-.example',
    'xn--zzzzzzzz.example',
    'shop.xn--a-ecp.example',
    `${label}a.example`,
    `${label}.${label}.${label}.${label}`,
    'exa\nmple.com',
    'bü%61.com',
    'bü\u0000.com',
    '../etc',
    '--help',
    '-f.example',
    "a';drop table domains;--.com",
    '\u202eabc.com',
  ];
  for (const text of cases) assert.is(parseDomain(text).name, undefined, JSON.stringify(text));
});

test('a domain of 253 characters is the longest', () => {
  const labels = ['a'.repeat(63), 'b'.repeat(63), 'c'.repeat(63)].join('.');
  assert.is(parseDomain(`${labels}.${'d'.repeat(61)}`).name?.length, 253);
  assert.is(parseDomain(`${labels}.${'d'.repeat(62)}`).name, undefined);
});

test('above, below and within go by whole labels', () => {
  assert.equal(parentNames('a.b.example.com'), ['b.example.com', 'example.com']);
  assert.equal(parentNames('example.com'), []);
  assert.is(reversedName('a.example.com'), 'com.example.a');
  assert.ok(isWithin('a.example.com', 'example.com'));
  assert.not(isWithin('badexample.com', 'example.com'));
});

test('public suffixes are those of registries, private ones included', () => {
  for (const [name, suffix] of [
    ['example.co.uk', 'co.uk'],
    ['a.example.com', 'com'],
    ['me.github.io', 'github.io'],
    ['github.io', 'github.io'],
    ['site.test', 'test'],
    ['a.b.kobe.jp', 'b.kobe.jp'],
    ['xn--bcher-kva.de', 'de'],
  ] as const) {
    assert.is(publicSuffix(name), suffix, name);
  }
});

test('subdomains belong to the topmost own domain above them', () => {
  assert.equal(group(['a.b.example.co.uk', 'b.example.co.uk', 'example.co.uk', 'notexample.co.uk', 'x.other.com']), {
    maindomains: [
      { domain_url: 'example.co.uk', tld: 'co.uk' },
      { domain_url: 'notexample.co.uk', tld: 'co.uk' },
      { domain_url: 'x.other.com', tld: 'com' },
    ],
    subdomains: [
      { domain_url: 'a.b.example.co.uk', tld: 'co.uk', main_domain: 'example.co.uk' },
      { domain_url: 'b.example.co.uk', tld: 'co.uk', main_domain: 'example.co.uk' },
    ],
  });
  assert.equal(group([]), { maindomains: [], subdomains: [] });
});
