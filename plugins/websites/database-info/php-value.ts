import type { Budget } from './budget.ts';

/**
 * A PHP value as far as the configuration file determines it; `undefined` = unknown, because it depends on the running
 * site. Arrays and objects are maps by the text of their keys.
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

/** Converts to a boolean as PHP does; an unknown value counts as false. */
export function isTrue(value: PhpValue): boolean {
  return value instanceof PhpArray ? value.isObject || value.size > 0 : Boolean(value) && value !== '0';
}

/** Converts to a string as PHP does; `undefined` for arrays and unknown values. */
export function textOf(value: PhpValue): string | undefined {
  if (value === undefined || value instanceof PhpArray) return undefined;
  if (value === true) return '1';
  return value === null || value === false ? '' : String(value);
}

function numberOf(value: PhpValue): number | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : Number.parseFloat(text) || 0;
}

/** `==`, and `===` when strict; `undefined` for arrays and unknown values. */
function isEqual(left: PhpValue, right: PhpValue, isStrict: boolean): boolean | undefined {
  if (left === undefined || right === undefined || left instanceof PhpArray || right instanceof PhpArray)
    return undefined;
  if (isStrict) return left === right;
  if (typeof left === 'boolean' || typeof right === 'boolean') return isTrue(left) === isTrue(right);
  return typeof left === 'number' || typeof right === 'number'
    ? numberOf(left) === numberOf(right)
    : textOf(left) === textOf(right);
}

/** Concatenates values; unknown when one of them is. */
export function joined(parts: readonly PhpValue[], budget: Budget): string | undefined {
  const texts = parts.map(textOf);
  if (texts.includes(undefined)) return undefined;
  budget.spendText(texts.reduce((sum, text) => sum + (text?.length ?? 0), 0));
  return texts.join('');
}

/** Applies a binary operator that evaluates both sides. */
export function operate(type: string, left: PhpValue, right: PhpValue, budget: Budget): PhpValue {
  if (type === '.') return joined([left, right], budget);
  if (/^[!=]==?$/.test(type)) {
    const equal = isEqual(left, right, type.length === 3);
    return type.startsWith('=') || equal === undefined ? equal : !equal;
  }
  if (type === '+' && left instanceof PhpArray && right instanceof PhpArray) {
    budget.spendSteps(left.size + right.size);
    return new PhpArray([...right, ...left]);
  }
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === undefined || b === undefined) return undefined;
  return { '+': a + b, '-': a - b, '*': a * b, '<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b }[type];
}

export function unary(type: string, value: PhpValue): PhpValue {
  if (type === '!') return value === undefined ? undefined : !isTrue(value);
  const number = numberOf(value);
  return number === undefined ? undefined : type === '-' ? -number : number;
}

export function cast(type: string, value: PhpValue): PhpValue {
  if (type === 'string') return textOf(value);
  if (type === 'bool' || type === 'boolean') return value === undefined ? undefined : isTrue(value);
  if (type === 'int' || type === 'integer') return Math.trunc(numberOf(value) ?? 0);
  if (type === 'object' && value instanceof PhpArray) value.isObject = true;
  return value;
}

/** The value that an assignment stores: a copy of an array. */
export function copied(value: PhpValue, budget: Budget): PhpValue {
  if (!(value instanceof PhpArray) || value.isObject) return value;
  budget.spendSteps(value.size);
  return new PhpArray(value);
}
