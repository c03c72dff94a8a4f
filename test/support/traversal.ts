/** Decoded paths that must be refused as `invalid_path` under the virtual root `/var/www/html`. */
export const OUTSIDE = [
  '..',
  '../',
  '../..',
  '../../etc',
  '/..',
  '/../etc',
  '/etc',
  '/etc/passwd',
  '/root',
  '//',
  '//etc',
  './..',
  './../etc',
  'a/..',
  'a/../..',
  'a/b/../../../etc',
  'a/./../b',
  '/var/www/html/..',
  '/var/www/html/../..',
  '/var/www/html/a/../../etc',
  '/var/www/html/./..',
  '/var/www/html//../etc',
  '/var/www',
  '/var/www/',
  '/var/www/htmlx',
  '/var/www/html-other',
  '/var/www/html.bak/a',
  '/VAR/WWW/HTML',
  '/proc/self/root',
  '/proc/self/cwd',
  '/dev/fd/3',
  '\0',
  'a\0',
  '../\0',
  'a\0/../..',
  'a\nb',
  'a\r\nb',
  '\t',
  '\u001b[2J',
  '\u007f',
  `${'a'.repeat(256)}`,
  `a/${'é'.repeat(128)}`,
  'a/'.repeat(2100),
];

/** Paths that look like traversal but are ordinary names; no such folder exists. */
export const LITERAL = [
  '...',
  '....//....//etc',
  '..;',
  '..;/etc',
  '..\\',
  '..\\..\\etc',
  'C:\\',
  '%2e%2e',
  '%2e%2e%2fetc',
  '..%2f..%2fetc',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '%u002e%u002e',
  '\uff0e\uff0e',
  '\u2024\u2024',
  '..\u200b',
  '\u202e..',
  ' ..',
  '.. ',
  '~',
  '~root',
  '$HOME',
  '${HOME}',
  '`id`',
  '*',
  '-rf',
  '--',
  'file:/etc',
  'etc',
  '/var/www/html//etc',
  'var/www',
  'proc/self/root',
  'é'.repeat(127),
  'a'.repeat(255),
];

export interface Encoding {
  readonly name: string;
  encode(path: string): string;
  /** Whether decoding once yields the path; one that only double or lenient decoding yields must not count. */
  readonly isPath: boolean;
}

const percent = (path: string) =>
  [...Buffer.from(path)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Ways to encode a path in a URL. */
export const ENCODINGS: readonly Encoding[] = [
  { name: 'as it is', isPath: false, encode: (path) => path },
  { name: 'encoded where needed', isPath: true, encode: encodeURI },
  { name: 'slashes encoded too', isPath: true, encode: encodeURIComponent },
  { name: 'every byte', isPath: true, encode: percent },
  { name: 'every byte in upper case', isPath: true, encode: (path) => percent(path).toUpperCase() },
  { name: 'every second dot', isPath: true, encode: (path) => encodeURI(path).replaceAll('..', '.%2e') },
  { name: 'twice', isPath: false, encode: (path) => encodeURIComponent(encodeURIComponent(path)) },
  { name: 'dots twice', isPath: false, encode: (path) => encodeURI(path).replaceAll('.', '%252e') },
  { name: 'overlong dots', isPath: false, encode: (path) => encodeURI(path).replaceAll('.', '%c0%ae') },
  { name: 'overlong slashes', isPath: false, encode: (path) => encodeURI(path).replaceAll('/', '%c0%af') },
];
