import type { HttpError } from '../errors.ts';

/** A line of a customer's text that cannot be taken. */
export interface LineFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** How many are said at once. */
export const MOST_FAULTS = 50;
/** Control characters other than tabs and ends of lines, and halves of characters. */
export const NO_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f]|\p{Surrogate}/u;

/** Throws the error that `refuse` makes if there are faults: it says the first one, and lists all at `path`, a JSON pointer. */
export function assertFaultless(
  faults: readonly LineFault[],
  path: string,
  refuse: (detail: string, options: { readonly members: { readonly errors: readonly unknown[] } }) => HttpError,
): void {
  const [first] = faults;
  if (first !== undefined)
    throw refuse(`line ${first.line}: ${first.message}`, {
      members: { errors: faults.map((fault) => ({ path, ...fault })) },
    });
}
