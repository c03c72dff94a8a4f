import { setImmediate } from 'node:timers/promises';
import { assertRoom, type Room } from '../../../kernel/areas/files/free-room.ts';
import { fail } from '../errors.ts';

/** The bounds of a task. */
export interface TallyLimits {
  /** Those that it has made before. */
  readonly files: number;
  readonly names: number;
  readonly bytes: number;
  /** Within the plan. */
  readonly free: Room;
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

  /** Counts a name, before so many are made. Errors: 422 `task_too_large`, 507 `no_space`. */
  async addName(madeNames = this.files + 1): Promise<void> {
    this.files += 1;
    const { names, free } = this.#limits;
    if (this.files > names) throw fail.task_too_large(`a task may make ${names} files and folders`);
    assertRoom({ names: madeNames }, free, fail.no_space);
    await this.tell();
  }

  /** Counts bytes of content, of which so many take room. Errors: 422 `task_too_large`, 507 `no_space`. */
  async addBytes(count: number, takenBytes = this.bytes + count): Promise<void> {
    this.bytes += count;
    const { bytes, free } = this.#limits;
    if (this.bytes > bytes) throw fail.task_too_large(`this may come to ${bytes} bytes`);
    assertRoom({ bytes: takenBytes }, free, fail.no_space);
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
