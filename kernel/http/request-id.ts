const COUNTER_DIGITS = 8;
const [ZERO, NINE, A, Z] = [...'09az'].map((digit) => digit.charCodeAt(0)) as [number, number, number, number];

const GIVEN = /^[0-9a-z]{7}-[0-9a-z]{8}$/;

/** The last id: a random prefix, which makes ids almost certainly unique across restarts, and a counter to the base 36. */
const last = Buffer.from(
  `${Math.floor(Math.random() * 36 ** 7)
    .toString(36)
    .padStart(7, '0')}-${'0'.repeat(COUNTER_DIGITS)}`,
);

/** The number of bytes of each id. */
export const REQUEST_ID_BYTES = last.length;

/** Returns an id that is unique in this process. */
export function nextRequestId(): string {
  advance();
  return last.toString('latin1');
}

/** Returns an id that another process made; `undefined` for anything else, which might not fit the place of one. */
export function givenRequestId(text: string): string | undefined {
  return GIVEN.test(text) ? text : undefined;
}

/** Writes the next id into bytes: a reply whose id nobody asks for makes no text of it. */
export function writeNextRequestId(into: Uint8Array, at: number): void {
  advance();
  into.set(last, at);
}

function advance(): void {
  for (let i = last.length - 1; i >= last.length - COUNTER_DIGITS; i -= 1) {
    const digit = last[i] ?? ZERO;
    if (digit !== Z) {
      last[i] = digit === NINE ? A : digit + 1;
      return;
    }
    last[i] = ZERO;
  }
}
