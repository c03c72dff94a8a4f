/** A character or mark of a pattern, and how often it stands there. */
interface Item {
  readonly kind: 'characters' | 'open' | 'close' | 'or' | 'begin' | 'end' | 'edge';
  /** Which characters it matches, by their numbers; 128 for all beyond ASCII. */
  readonly set: ReadonlySet<number>;
  least: number;
  most: number;
}

const BEYOND = 128;
const ALL = Array.from({ length: BEYOND + 1 }, (_, n) => n);
/** How often one character may be repeated by number, and in how many ways a pattern may match at one place. */
const [MOST_TIMES, MOST_WAYS] = [100, 1000];
const MOST_PATTERN = 500;

class PatternFault extends Error {}

/** How long nginx may try a pattern. */
export interface PatternCost {
  /** Why it is not taken. */
  readonly fault?: string;
  /** Whether it grows with the square of what it is tried on: 20 ms for the 8 KiB of the longest address. */
  readonly isSquare?: boolean;
}

/**
 * Returns what a pattern costs, whatever a visitor sends: nginx serves nobody else while it tries one. There are no repeated groups,
 * no references, and one repetition at most of which it is not clear where it ends.
 */
export function patternCost(pattern: string): PatternCost {
  try {
    if (pattern.length > MOST_PATTERN) return { fault: `a pattern has ${MOST_PATTERN} characters at most` };
    return { isSquare: hasUnclear(itemsIn(pattern)) };
  } catch (error) {
    if (error instanceof PatternFault) return { fault: error.message };
    throw error;
  }
}

/** Whether there is a repetition of which it is not clear where it ends. Throws for a pattern that costs too much. */
function hasUnclear(items: readonly Item[]): boolean {
  let ways = 1;
  let unclear = 0;
  let isLong = false;
  const alternatives: number[] = [1];
  for (const [i, { kind, least, most }] of items.entries()) {
    if (kind === 'open') alternatives.push(1);
    if (kind === 'or') alternatives.push((alternatives.pop() ?? 0) + 1);
    if (kind === 'close') {
      ways *= alternatives.pop() ?? 1;
      if (most > 1) throw new PatternFault('a pattern repeats characters, not groups');
      if (least === 0) ways *= 2;
    }
    if (kind !== 'characters' || least === most) continue;
    isLong ||= most === Infinity;
    if (isClear(items, i)) continue;
    if (most === Infinity) unclear++;
    else ways *= most - least + 1;
  }
  if (alternatives.length !== 1) throw new PatternFault('a pattern closes each group that it opens');
  ways *= alternatives[0] ?? 1;
  const isAnchored = items[0]?.kind === 'begin' && alternatives[0] === 1;
  if (isLong && !isAnchored) throw new PatternFault('a pattern with * or + begins with ^');
  if (unclear > 1)
    throw new PatternFault('of two repetitions, one must end at the next character, as [^-]+ does before a hyphen');
  if (ways > MOST_WAYS) throw new PatternFault(`a pattern can match in ${MOST_WAYS} ways at most`);
  return unclear > 0;
}

/** Whether what follows a repetition can be none of its characters, so that there is one place where it ends. */
function isClear(items: readonly Item[], at: number): boolean {
  const { set } = items[at] as Item;
  for (let i = at + 1; i < items.length; i++) {
    const { kind, least, set: next } = items[i] as Item;
    if (kind === 'end') return true;
    if (kind === 'characters') {
      if ([...set].some((sign) => next.has(sign))) return false;
      if (least > 0) return true;
    } else if (kind !== 'close' && !(kind === 'open' && isPlain(items, i))) return false;
  }
  return true;
}

/** Whether a group has no alternatives and stands there once. */
function isPlain(items: readonly Item[], open: number): boolean {
  let depth = 0;
  for (let i = open; i < items.length; i++) {
    const { kind, least } = items[i] as Item;
    if (kind === 'open') depth++;
    if (kind === 'or' && depth === 1) return false;
    if (kind === 'close' && --depth === 0) return least === 1;
  }
  return false;
}

const GROUP = /\((?:\?(?:[:=!]|.?))?/y;
const TIMES = /(?:([*+?])|\{(\d{1,4})(?:(,)(\d{1,4})?)?\})\??/y;

function itemsIn(pattern: string): Item[] {
  const items: Item[] = [];
  const add = (kind: Item['kind'], set: Iterable<number> = []) =>
    items.push({ kind, set: new Set(set), least: 1, most: 1 });
  for (let at = 0; at < pattern.length;) {
    const sign = pattern[at] ?? '';
    const times = matchAt(TIMES, pattern, at);
    if (times !== null) {
      repeat(items.at(-1), times);
      at += times[0].length;
    } else if (sign === '(') {
      const [start] = matchAt(GROUP, pattern, at) ?? [''];
      if (!['(', '(?:', '(?=', '(?!'].includes(start)) throw new PatternFault(`a pattern has no ${start}`);
      add('open');
      // what is looked for ahead takes nothing, so what follows may be anything
      if (start === '(?=' || start === '(?!') add('edge');
      at += start.length;
    } else if (sign === '[') {
      const { set, end } = classAt(pattern, at);
      add('characters', set);
      at = end;
    } else if (sign === '\\') {
      const next = pattern[at + 1] ?? '';
      if (next === 'b' || next === 'B') add('edge');
      else add('characters', escaped(next));
      at += 2;
    } else {
      if (sign === '{') throw new PatternFault('a { that repeats nothing has a backslash before it');
      const kind = ({ '^': 'begin', $: 'end', '|': 'or', ')': 'close' } as const)[sign];
      if (kind !== undefined) add(kind);
      else add('characters', sign === '.' ? ALL : both(sign));
      at++;
    }
  }
  return items;
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

function repeat(item: Item | undefined, [, sign, least, comma, most]: RegExpExecArray): void {
  if (item === undefined || !['characters', 'close'].includes(item.kind) || item.least !== 1 || item.most !== 1)
    throw new PatternFault('a repetition stands after a character, a class or a group');
  const from = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
  const to = sign === '?' ? 1 : sign !== undefined ? Infinity : comma === undefined ? from : Number(most ?? Infinity);
  if (from > MOST_TIMES || (to !== Infinity && (to > MOST_TIMES || to < from)))
    throw new PatternFault(`a repetition by number has ${MOST_TIMES} times at most`);
  item.least = from;
  item.most = to;
}

/** Both letters: whether a pattern minds their case is not known here. */
function both(sign: string): number[] {
  return [sign.toLowerCase(), sign.toUpperCase()].map((each) => Math.min(each.codePointAt(0) ?? BEYOND, BEYOND));
}

const range = (from: string, to: string) => ALL.filter((n) => n >= from.charCodeAt(0) && n <= to.charCodeAt(0));
const DIGITS = range('0', '9');
const WORD = [...DIGITS, ...range('a', 'z'), ...range('A', 'Z'), ...range('_', '_')];
const BLANK = [9, 10, 11, 12, 13, 32];
const NAMED: Readonly<Record<string, readonly number[]>> = { d: DIGITS, w: WORD, s: BLANK };

function escaped(sign: string): readonly number[] {
  const named = NAMED[sign.toLowerCase()];
  if (named !== undefined) return sign in NAMED ? named : ALL.filter((n) => !named.includes(n));
  if (sign === '' || /[A-Za-z0-9]/.test(sign)) throw new PatternFault(`a pattern has no \\${sign}`);
  return both(sign);
}

function classAt(pattern: string, start: number): { readonly set: number[]; readonly end: number } {
  const isInverse = pattern[start + 1] === '^';
  const set = new Set<number>();
  let at = start + (isInverse ? 2 : 1);
  for (const first = at; at < pattern.length && (pattern[at] !== ']' || at === first);) {
    const sign = pattern[at] ?? '';
    if (sign === '[') throw new PatternFault('a [ in a class has a backslash before it');
    const to = pattern[at + 2] ?? '';
    if (sign === '\\') {
      for (const each of escaped(pattern[at + 1] ?? '')) set.add(each);
      at += 2;
    } else if (pattern[at + 1] === '-' && to !== ']' && to !== '') {
      if (!/^[A-Za-z0-9]{2}$/.test(sign + to)) throw new PatternFault('a range has letters or digits at its ends');
      for (const each of range(sign, to)) for (const letter of both(String.fromCharCode(each))) set.add(letter);
      at += 3;
    } else {
      for (const each of both(sign)) set.add(each);
      at++;
    }
  }
  if (at >= pattern.length) throw new PatternFault('a pattern closes each class that it opens');
  return { set: isInverse ? ALL.filter((n) => !set.has(n)) : [...set], end: at + 1 };
}
