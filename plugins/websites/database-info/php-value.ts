import type { Budget } from './budget.ts';

/**
 * A PHP value as far as the configuration file writes it down; `undefined` = unknown. Arrays and objects are maps by the
 * text of their keys.
 */
export type PhpValue = string | number | boolean | null | undefined | PhpArray;

export class PhpArray extends Map<string, PhpValue> {
  /** Assignment shares objects and copies arrays. */
  isObject = false;
  #next = 0;

  /** Appends a value under the next free number, as `[]` does. */
  push(value: PhpValue): void {
    while (this.has(String(this.#next))) this.#next += 1;
    this.set(String(this.#next), value);
  }
}

/** Converts to a string as PHP does; `undefined` for arrays and unknown values. */
export function asText(value: PhpValue): string | undefined {
  if (value === undefined || value instanceof PhpArray) return undefined;
  if (value === true) return '1';
  return value === null || value === false ? '' : String(value);
}

/** Concatenates values; unknown when one of them is. */
export function joined(parts: readonly PhpValue[], budget: Budget): string | undefined {
  const texts = parts.map(asText);
  if (texts.includes(undefined)) return undefined;
  budget.spendText(texts.reduce((sum, text) => sum + (text?.length ?? 0), 0));
  return texts.join('');
}

/** The value that an assignment stores: a copy of an array. */
export function copied(value: PhpValue, budget: Budget): PhpValue {
  if (!(value instanceof PhpArray) || value.isObject) return value;
  budget.spendSteps(value.size);
  return new PhpArray(value);
}
