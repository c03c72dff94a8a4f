import type { Operation } from '../target/api-description.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A request before its account and the existing things are known; values may be placeholders. */
export interface RequestTemplate {
  readonly operation: Operation;
  /** Selects one of the accounts that can send it. */
  readonly nthAccount: number;
  readonly method: string;
  readonly path: Values;
  readonly query: readonly (readonly [string, unknown])[];
  readonly headers: readonly (readonly [string, string])[];
  /** JSON, or a buffer to send as it is. */
  readonly body: unknown;
  readonly contentType: string | undefined;
  /** `{token}` stands for the account's token. */
  readonly authorization: string | undefined;
  readonly mangle: ((path: string) => string) | undefined;
  /** Describes the one way in which the request is invalid; `none` for a valid request. */
  readonly flaw: string;
  /** Allowed statuses; 401 and 403 are also allowed when another request took the session or feature. */
  readonly expects: readonly number[] | undefined;
}
