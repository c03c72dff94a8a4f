/** Messages between two nodes while an account moves. The old home asks, and the new one answers. */
import { HttpError, isErrorCode } from '../../kernel/errors.ts';
import { readBoolean, readCount, readList, readMembers, readText } from '../../kernel/kit/verb-arguments.ts';
import type { Move } from './rows.ts';
import type { Extent } from '../../kernel/areas/moves/tree-job.ts';

/** More than an installation has; and the name of one. */
const PLUGINS = 1000;
const PLUGIN = /^[a-z][a-z0-9-]{0,63}$/;

/** How much either end reads ahead: what has gathered while one piece is worked on is the next piece, however small it came. */
export const AHEAD_BYTES = 1 << 20;

/** Requests by their path. All name the account and the run of the command in their query. */
export const REQUESTS = {
  /** Removes what an attempt before has left, and makes sure that there is room: the body is a `Bringing`. */
  begin: 'POST',
  /** The body is an archive. */
  files: 'PUT',
  /** The body and the answer are those of a plugin, see `MoveLink.ask`. */
  part: 'POST',
  /** Answers with a `Digest`. */
  digest: 'GET',
  /** Removes what has come so far. */
  discard: 'POST',
} as const;
export type RequestName = keyof typeof REQUESTS;

export interface Bringing extends Extent {
  /** Plugins that must be ready. */
  readonly plugins: readonly string[];
}
/** Reads the body of `begin`, from a node that may be in foreign hands. Errors: 400 `invalid_request`. */
export function readBringing(body: unknown): Bringing {
  const { exists, bytes, inodes, plugins } = readMembers(body, ['exists', 'bytes', 'inodes', 'plugins']);
  return {
    exists: readBoolean(exists),
    bytes: readCount(bytes),
    inodes: readCount(inodes),
    plugins: readList(plugins, PLUGINS, (name) => readText(name, PLUGIN)),
  };
}

export interface Digest {
  readonly digest: string;
}
/** The body of an answer that is an error. */
export interface Failure {
  readonly error: string;
  readonly detail: string;
}

/** `more` names the plugin, and its request, of a part. */
export const wirePath = (
  request: RequestName,
  of: Pick<Move, 'username' | 'claim'>,
  more: Readonly<Record<string, string>> = {},
): string => {
  const { username, claim } = of;
  return `/${request}?${new URLSearchParams({ username, claim, ...more }).toString()}`;
};

export const toFailure = (error: HttpError): Failure => ({ error: error.code, detail: error.message });

/** Returns the error that another node has answered with. */
export function toError(node: string, { error, detail }: Partial<Failure>): HttpError {
  const code = typeof error === 'string' && isErrorCode(error) ? error : 'internal_error';
  return new HttpError(code, `${node}: ${typeof detail === 'string' ? detail : 'an answer that is none'}`);
}
