import type { LogLine } from '../schema.ts';

export interface FilterQuery {
  readonly text: string;
  readonly status: string;
  readonly method: string;
  readonly since?: string;
}

/** Takes lines by what a client asks for. */
export class LogFilter {
  readonly #query: FilterQuery;
  readonly #text: string;
  readonly #since: number;

  constructor(query: FilterQuery) {
    this.#query = query;
    this.#text = query.text.toLowerCase();
    this.#since = query.since === undefined ? -Infinity : Date.parse(query.since);
  }

  /** Whether a line that was not parsed may be taken, which costs less to find out. */
  mayTake(text: string): boolean {
    return this.#text === '' || text.toLowerCase().includes(this.#text);
  }

  takes({ text, status, method }: LogLine): boolean {
    const { status: wanted, method: way } = this.#query;
    if (!this.mayTake(text) || (way !== '' && method !== way)) return false;
    return (
      wanted === '' ||
      (status !== null && (wanted.endsWith('xx') ? String(status)[0] === wanted[0] : String(status) === wanted))
    );
  }

  /** Whether a line is from before what is asked for; so are those before it. */
  isBefore({ at }: LogLine): boolean {
    return at !== null && Date.parse(at) < this.#since;
  }
}
