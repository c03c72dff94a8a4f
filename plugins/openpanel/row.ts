import type { RouteInput } from '../../kernel/contract/route-calls.ts';

/**
 * The client's values: parameters of the path, of the query, and members of the body, by OpenPanel's names. The
 * type is what is expected: members of a body may be anything, and the operation that is called checks them.
 */
export type Given = Readonly<Record<string, string>>;
/** Answers of the steps before, in their order. Their types are those of the operations, which other plugins own. */
// oxlint-disable-next-line no-explicit-any
export type Values = readonly any[];
type Cell<T> = (given: Given, values: Values) => T;

/** One operation of the route table that a row calls. */
export interface Step {
  /** Method and path. */
  readonly calls: string;
  readonly params?: Cell<RouteInput['params']>;
  readonly query?: Cell<RouteInput['query']>;
  /** Members that are `undefined` are left out. */
  readonly body?: Cell<Readonly<Record<string, unknown>>>;
  /** Headers of the client that the operation reads, in lower case. */
  readonly headers?: readonly string[];
  /** Whether it is called; it is unless this says no. Its value is `undefined` then. */
  readonly if?: Cell<boolean>;
  /** The name of a paged list: the value is the list of all pages. */
  readonly pages?: string;
}

/** The operation behind the logins of both addresses. */
export const LOGIN: Step = {
  calls: 'POST /api/login',
  headers: ['user-agent'],
  body: ({ username, password, twofa_code }) => ({ username, password, twofa_code }),
};

/** A path of OpenPanel, what it calls, and what becomes of the answers. */
export interface Row {
  /** Method and path as OpenPanel documents them. */
  readonly is: string;
  /** The path is one of our own with another meaning or form, and stays so: the row answers below `/openpanel` only. */
  readonly isTaken?: true;
  readonly access?: 'guest';
  /** Members of the body; those with an exclamation mark are required. */
  readonly takes?: readonly string[];
  /** The values that a member of the body may have. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  readonly query?: readonly string[];
  readonly steps: readonly Step[];
  /** The last answer as it is unless given. */
  readonly reply?: (values: Values, given: Given) => unknown;
  readonly status?: number;
  readonly produces?: readonly string[];
}

/** A path that is the same here as there, or differs in its name only. */
export const same = (is: string, calls = is): Row => ({
  is,
  steps: [{ calls }],
  ...(is === calls && { isTaken: true }),
});
/** The same with a query. */
export const asked = (is: string, query: readonly string[], calls = is): Row => ({
  ...same(is, calls),
  query,
  steps: [{ calls, query: (given) => Object.fromEntries(query.map((name) => [name, given[name]])) }],
});
