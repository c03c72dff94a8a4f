import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { VhostFolder } from './vhost-folder.ts';

const FILE = '.hostkeep-owner';

/**
 * Who keeps the folder in step with the domains: one process at a time, so that a command like `hostkeep doctor` beside
 * a running server takes nothing for an orphan that the server is just adding.
 */
export class Owner {
  readonly #folder: VhostFolder;
  readonly #own = `${processName('self') ?? process.pid} ${randomUUID()}`;

  constructor(folder: VhostFolder) {
    this.#folder = folder;
  }

  /** `elsewhere` when another process that lives keeps the folder, `beside` when an earlier configuration of this one still does. */
  async take(): Promise<'alone' | 'beside' | 'elsewhere'> {
    const [before = ''] = (await this.#folder.read(FILE))?.split(' ') ?? [];
    const isAlive = before !== '' && processName(before.split(':', 1)[0] ?? '') === before;
    if (isAlive && before !== processName('self')) return 'elsewhere';
    await this.#folder.put(FILE, this.#own);
    return isAlive ? 'beside' : 'alone';
  }

  /** Leaves the folder to the next one, unless that took it already. */
  async release(): Promise<void> {
    if ((await this.#folder.read(FILE)) === this.#own) await this.#folder.put(FILE, undefined);
  }
}

/** Process id and the clock tick of its start (field 22 of proc(5)), as no other process is called; `undefined` when there is none. */
function processName(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return `${Number.parseInt(stat, 10)}:${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return undefined;
  }
}
