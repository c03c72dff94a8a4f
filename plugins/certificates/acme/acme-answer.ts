/** An answer of a certificate authority. */
export interface AcmeAnswer {
  readonly status: number;
  readonly body: string;
  /** Returns the value of a header; empty if there is none. */
  readonly header: (name: string) => string;
}
