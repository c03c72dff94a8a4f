/**
 * The requirements of OWASP ASVS 5.0.0 (https://owasp.org/www-project-application-security-verification-standard/) at
 * levels 1 and 2. Each must be covered by a tagged test or be listed in `exceptions.ts`.
 */
const SECTIONS = [
  '1.1.1-2 1.2.1-9 1.3.1-11 1.4.1-3 1.5.1-2',
  '2.1.1-3 2.2.1-3 2.3.1-4 2.4.1',
  '3.2.1-2 3.3.1-4 3.4.1-6 3.5.1-5 3.7.1-2',
  '4.1.1-3 4.2.1 4.3.1-2 4.4.1-4',
  '5.1.1 5.2.1-3 5.3.1-2 5.4.1-3',
  '6.1.1-3 6.2.1-12 6.3.1-4 6.4.1-4 6.5.1-5 6.6.1-3 6.8.1-4',
  '7.1.1-3 7.2.1-4 7.3.1-2 7.4.1-5 7.5.1-2 7.6.1-2',
  '8.1.1-2 8.2.1-3 8.3.1 8.4.1',
  '9.1.1-3 9.2.1-4',
  '10.1.1-2 10.2.1-2 10.3.1-4 10.4.1-11 10.5.1-5 10.6.1-2 10.7.1-3',
  '11.1.1-2 11.2.1-3 11.3.1-3 11.4.1-4 11.5.1 11.6.1',
  '12.1.1-3 12.2.1-2 12.3.1-4',
  '13.1.1 13.2.1-5 13.3.1-2 13.4.1-5',
  '14.1.1-2 14.2.1-4 14.3.1-3',
  '15.1.1-3 15.2.1-3 15.3.1-7',
  '16.1.1 16.2.1-5 16.3.1-4 16.4.1-3 16.5.1-3',
  '17.1.1 17.2.1-4 17.3.1-2',
];

export const REQUIREMENTS: readonly string[] = SECTIONS.flatMap((section) => section.split(' ')).flatMap(expand);

/** Returns the requirements of a list such as `6.5.1-4, 6.5.7`. */
export function requirementsOf(list: string): string[] {
  return list.split(', ').flatMap(expand);
}

/** Compares requirements by chapter, section and number. */
export function compareRequirements(a: string, b: string): number {
  const [left, right] = [a, b].map((each) => each.split('.').map(Number)) as [number[], number[]];
  const i = left.findIndex((part, at) => part !== right[at]);
  return i < 0 ? 0 : (left[i] ?? 0) - (right[i] ?? 0);
}

function expand(range: string): string[] {
  const [, section = '', first = '', last = first] = /^(\d+\.\d+)\.(\d+)(?:-(\d+))?$/.exec(range) ?? [];
  if (section === '') throw new Error(`not a requirement: ${range}`);
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => `${section}.${Number(first) + i}`);
}
