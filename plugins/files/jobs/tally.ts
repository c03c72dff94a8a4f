import { setImmediate } from 'node:timers/promises';
import { fail } from '../errors.ts';

/** The bounds of a task. */
export interface TallyLimits {
  /** Those that it has made before. */
  readonly files: number;
  readonly names: number;
  readonly bytes: number;
  /** Free bytes within the plan; `null` without a limit. */
  readonly freeBytes: number | null;
}

const REPORT_MS = 250;

/** Counts what a task makes, keeps it within its bounds, and reports it. */
export class Tally {
  files: number;
  bytes = 0;
  leftOut = 0;
  readonly #limits: TallyLimits;
  readonly #report: (progress: unknown) => void;
  #reportedAt = -Infinity;

  constructor(limits: TallyLimits, report: (progress: unknown) => void) {
    this.files = limits.files;
    this.#limits = limits;
    this.#report = report;
  }

  /** Counts a name before it is made. Errors: 422 `task_too_large`. */
  async addName(): Promise<void> {
    this.files += 1;
    if (this.files > this.#limits.names)
      throw fail.task_too_large(`a task may make ${this.#limits.names} files and folders`);
    await this.tell();
  }

  /** Counts bytes of content, of which so many take room. Errors: 422 `task_too_large`, 507 `no_space`. */
  async addBytes(count: number, takenBytes = this.bytes + count): Promise<void> {
    this.bytes += count;
    const { bytes, freeBytes } = this.#limits;
    if (this.bytes > bytes) throw fail.task_too_large(`this may come to ${bytes} bytes`);
    if (takenBytes > (freeBytes ?? Infinity))
      throw fail.no_space(`the plan leaves room for ${Math.max(0, Math.floor(freeBytes ?? 0))} bytes`);
    await this.tell();
  }

  /** Reports now and then, and lets the report go out. */
  async tell(): Promise<void> {
    if (performance.now() - this.#reportedAt < REPORT_MS) return;
    this.#reportedAt = performance.now();
    this.#report(this.counted);
    await setImmediate();
  }

  get counted() {
    const { files, bytes, leftOut } = this;
    return { files, bytes, leftOut };
  }
}
