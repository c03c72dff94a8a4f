import type { Connection } from 'pg';
import { Submitted } from './submitted.ts';

export interface RowLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** The result of a statement, values as text; without columns if it has none. */
export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
}

/** The driver's connection, as far as its types do not say. */
interface Wire {
  parse(query: { readonly text: string }): void;
  bind(config: { readonly values: readonly string[] }): void;
  describe(message: { readonly type: 'P'; readonly name: string }): void;
  execute(config: { readonly rows: number }): void;
  sync(): void;
  sendCopyFail(why: string): void;
}

/** Reads the first rows of one statement, which the protocol refuses to be several, and leaves the rest at the server. */
export class RowsOf extends Submitted<Rows> {
  readonly #text: string;
  readonly #limits: RowLimits;
  readonly #rows: (string | null)[][] = [];
  #columns: string[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(text: string, limits: RowLimits) {
    super();
    this.#text = text;
    this.#limits = limits;
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    wire.parse({ text: this.#text });
    wire.bind({ values: [] });
    wire.describe({ type: 'P', name: '' });
    wire.execute({ rows: this.#limits.rows + 1 });
    wire.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly name: string }[] }): void {
    this.#columns = fields.map(({ name }) => name);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#bytes += fields.reduce((sum, value) => sum + (value === null ? 0 : Buffer.byteLength(value)), 0);
    if (this.#rows.length < this.#limits.rows && this.#bytes <= this.#limits.bytes) this.#rows.push([...fields]);
    else this.#isCut = true;
  }

  override handlePortalSuspended(): void {
    this.#isCut = true;
  }

  handleCopyInResponse(connection: Connection): void {
    (connection as unknown as Wire).sendCopyFail('nothing is sent');
  }

  handleReadyForQuery(): void {
    this.resolve({ columns: this.#columns, rows: this.#rows, isCut: this.#isCut });
  }
}
