import { readFileSync } from 'node:fs';

const SAMPLE_MS = 50;

/** How much more memory a process has while something is done than before: its resident set, sampled. */
export class MemoryWatch {
  readonly #pid: number | undefined;
  readonly #beforeMib: number;
  #mostMib = 0;

  constructor(pid: number | undefined) {
    this.#pid = pid;
    this.#beforeMib = residentMib(pid);
  }

  get moreMib(): number {
    return Math.max(0, this.#mostMib - this.#beforeMib);
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    const timer = setInterval(() => (this.#mostMib = Math.max(this.#mostMib, residentMib(this.#pid))), SAMPLE_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }
}

/** Returns the resident set of a process in MiB. */
export const residentMib = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8'))?.[1]) / 1024;

/** Returns what processes take in MiB, each shared page divided among those that have it. */
export const proportionalMib = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const kib = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return sum + Number(kib) / 1024;
  }, 0);
