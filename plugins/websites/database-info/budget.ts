import { HttpError } from '../../../kernel/errors.ts';
import { fail } from '../errors.ts';

/** Characters of one value. */
const MAX_VALUE = 64 * 1024;
/** Characters of all values that one file makes. */
const MAX_TEXT = 1 << 20;
const MAX_STEPS = 500_000;
/** Processor time; configuration files take a few milliseconds. */
const MAX_MS = 2000;
const STEPS_BETWEEN_LOOKS = 256;

/**
 * The budget for reading one customer's file. It is spent before a text or a copy is made, because 500 bytes can describe
 * gigabytes. Errors: 422 `file_too_complex`.
 */
export class Budget {
  readonly #before = process.cpuUsage();
  #nextLook = 0;
  #steps = 0;
  #text = 0;

  /** Counts evaluated nodes and copied members. */
  spendSteps(count: number): void {
    this.#steps += count;
    if (this.#steps > MAX_STEPS) throw tooComplex('takes too many steps to evaluate');
    if (this.#steps < this.#nextLook) return;
    this.#nextLook = this.#steps + STEPS_BETWEEN_LOOKS;
    const { user, system } = process.cpuUsage(this.#before);
    if ((user + system) / 1000 > MAX_MS) throw tooComplex('takes too long to evaluate');
  }

  /** Counts a text that is about to be made. */
  spendText(length: number): void {
    this.#text += length;
    if (length > MAX_VALUE) throw tooComplex('has a value longer than 64 KiB');
    if (this.#text > MAX_TEXT) throw tooComplex('makes more than 1 MiB of text');
  }
}

export function tooComplex(problem: string, cause?: unknown): HttpError {
  return fail.file_too_complex(`the configuration file ${problem}`, { cause });
}
