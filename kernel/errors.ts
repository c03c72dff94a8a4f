/** The kernel's own errors. The member `error` of a problem reply is the key. */
const KERNEL_ERRORS = {
  invalid_request: [400, 'The request does not fit its description'],
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_path: [400, 'Not a usable path'],
  authentication_required: [401, 'Authentication required'],
  permission_denied: [403, 'Refused by the permissions of the file'],
  feature_disabled: [403, 'Feature not available on this plan'],
  admin_required: [403, 'Administrator access required'],
  reauthentication_required: [403, 'Password and code required again'],
  scope_required: [403, 'Scope missing from the API token'],
  foreign_origin: [403, 'The page is from another origin'],
  session_required: [403, 'Not possible with an API token'],
  edition_required: [403, 'Enterprise edition required'],
  host_not_allowed: [403, 'Host name not allowed'],
  not_found: [404, 'Not found'],
  file_not_found: [404, 'File not found'],
  folder_not_found: [404, 'Folder not found'],
  account_not_found: [404, 'Account not found'],
  plan_not_found: [404, 'Plan not found'],
  session_not_found: [404, 'Session not found'],
  node_not_found: [404, 'Node not found'],
  token_not_found: [404, 'API token not found'],
  method_not_allowed: [405, 'Method not allowed'],
  file_exists: [409, 'Something of this name exists already'],
  account_exists: [409, 'User name already in use'],
  name_reserved: [409, 'User name of a removed account'],
  ambiguous_username: [409, 'User name too close to another'],
  purge_in_progress: [409, 'Account being purged'],
  plan_exists: [409, 'Plan name already in use'],
  plan_in_use: [409, 'Accounts still use this plan'],
  tokens_full: [409, 'No room for another API token'],
  other_node: [409, 'At another node'],
  request_in_progress: [409, 'The same request is in progress'],
  node_draining: [409, 'No new accounts on this server'],
  last_admin: [409, 'The last administrator must stay'],
  file_changed: [412, 'The file was changed by somebody else'],
  no_entity_tag: [412, 'Changes here have no condition'],
  body_too_large: [413, 'Body too large'],
  unsupported_media_type: [415, 'The body must be JSON'],
  idempotency_key_reused: [422, 'Idempotency-Key of another request'],
  upgrade_required: [426, 'Only as a WebSocket'],
  rate_limited: [429, 'Too many attempts'],
  internal_error: [500, 'Internal error'],
  feature_unavailable: [503, 'Not available on this server at the moment'],
  overloaded: [503, 'Too much work at the moment'],
  broker_unavailable: [503, 'Not possible on this server at the moment'],
  files_unavailable: [503, 'Files not available at the moment'],
  store_unavailable: [503, 'The data cannot be reached at the moment'],
  account_moving: [503, 'Being moved to another server at the moment'],
  node_unreachable: [503, 'The server in charge of this cannot be reached at the moment'],
  no_space: [507, 'No room for this file'],
  reply_too_large: [507, 'Reply too large'],
} as const satisfies ErrorTable;

/** Status and English title (RFC 9457 `title`) by code. Codes are stable; translations are in the folders `locales`. */
export type ErrorTable = Readonly<Record<string, readonly [status: number, title: string]>>;

/** The errors known to this process: the kernel's, and those of the loaded plugins. */
const known = new Map<string, readonly [status: number, title: string]>(Object.entries(KERNEL_ERRORS));

/** Returns all codes known to this process. */
export function errorCodes(): string[] {
  return [...known.keys()];
}

/** Whether this process knows the code. */
export function isErrorCode(code: string): boolean {
  return known.has(code);
}

/** Returns the status and English title of a code. */
export function errorKind(code: string): readonly [status: number, title: string] {
  return known.get(code) ?? KERNEL_ERRORS.internal_error;
}

interface ProblemOptions {
  readonly cause?: unknown;
  /** When the client may try again: `Retry-After`, rounded up, at least 1. */
  readonly retryAfterSeconds?: number;
  /** Additional reply headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The member of the request that is wrong, as a JSON pointer: `errors` then tells it. */
  readonly path?: string;
  /** Additional members of the problem body, e.g. `feature` or `errors`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** An error that the client sees. The code determines the status; `cause` appears only in the log. */
export class HttpError extends Error {
  readonly code: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly members: Readonly<Record<string, unknown>> | undefined;

  constructor(code: string, detail: string, { cause, retryAfterSeconds, headers, path, members }: ProblemOptions = {}) {
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.headers =
      retryAfterSeconds === undefined
        ? headers
        : { ...headers, 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) };
    this.members = path === undefined ? members : { ...members, errors: [{ path, message: detail }] };
  }

  get status(): number {
    return errorKind(this.code)[0];
  }
}

type Makers<T extends ErrorTable> = {
  readonly [C in keyof T]: (detail: string, options?: ProblemOptions) => HttpError;
};

const TABLE = Symbol('table');
/** Functions that make the errors of a table, by code. */
export interface DefinedErrors {
  readonly [TABLE]: ErrorTable;
}

/**
 * Returns a function for each error of a table, and for those of the kernel: `throw fail.notes_full('the limit is 20')`. The
 * manifest names what it returns, so that the host declares the table.
 */
export function defineErrors<const T extends ErrorTable>(table: T): Makers<T & typeof KERNEL_ERRORS> & DefinedErrors {
  const codes = [...Object.keys(KERNEL_ERRORS), ...Object.keys(table)];
  const makers = codes.map((code) => [
    code,
    (detail: string, options?: ProblemOptions) => new HttpError(code, detail, options),
  ]);
  return { ...Object.fromEntries(makers), [TABLE]: table } as Makers<T & typeof KERNEL_ERRORS> & DefinedErrors;
}

/** Makes the kernel's own errors. */
export const fail = defineErrors({});

/** Returns the codes of a plugin's own errors. */
export function declaredCodes({ [TABLE]: errors }: DefinedErrors): string[] {
  return Object.keys(errors);
}

/** Registers a plugin's errors before its routes are served. Throws if a code already has another status or title. */
export function declareErrors({ [TABLE]: errors }: DefinedErrors): void {
  for (const [code, [status, title]] of Object.entries(errors)) {
    const other = known.get(code);
    if (other !== undefined && (other[0] !== status || other[1] !== title))
      throw new Error(`the error ${code} is declared twice, as ${other.join(' ')} and as ${status} ${title}`);
    known.set(code, [status, title]);
  }
}

/** A limit of a rate: `quota` in each window. */
export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
}

/**
 * Returns the headers of draft-ietf-httpapi-ratelimit-headers, which name all policies, and how much of one is left for how many
 * seconds.
 */
export function rateHeaders(
  policies: readonly RatePolicy[],
  name: string,
  left: number,
  seconds: number,
): Readonly<Record<'RateLimit-Policy' | 'RateLimit', string>> {
  const listed = policies.map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`);
  return {
    'RateLimit-Policy': listed.join(', '),
    RateLimit: `"${name}";r=${left};t=${Math.max(1, Math.ceil(seconds))}`,
  };
}

/** Returns the 429 of a limit that is used up for `seconds`. */
export function rateLimited(
  detail: string,
  policies: readonly RatePolicy[],
  exhausted: string,
  seconds: number,
): HttpError {
  const { message, headers } = fail.rate_limited(detail, { retryAfterSeconds: seconds });
  return fail.rate_limited(message, {
    headers: { ...headers, ...rateHeaders(policies, exhausted, 0, seconds) },
  });
}

/** One fault in a value: a JSON pointer to it (`""` = the value itself) and a message such as `is required`. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Returns the 400 for a value that violates its schema; `where` is `body`, `query` or `path`. */
export function invalid(where: string, issues: readonly Issue[]): HttpError {
  const told = issues.map(({ path, message }) => `${where}${path} ${message}`);
  const detail = told.length === 0 ? `the ${where} is not valid` : told.join('; ');
  return fail.invalid_request(detail, { members: { errors: issues } });
}

/** Returns the 401 for any invalid token; always the same, so that it does not reveal the reason. */
export function unauthenticated(): HttpError {
  return fail.authentication_required('a valid bearer token is needed', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** Returns the 403 for an API token that asks for what only the session of a login may do. */
export function sessionRequired(): HttpError {
  return fail.session_required('log in for this: no API token may change credentials, tokens or sessions');
}

/** Returns the 403 for an API token without any of the scopes that a route asks for. */
export function scopeRequired(scopes: readonly string[]): HttpError {
  return fail.scope_required(`the API token lacks the scope ${scopes.join(' or ')}`, {
    members: { scope: scopes[0] },
  });
}

/**
 * Thrown by a plugin's `setup` if the host lacks something it needs. Its routes answer 503; other plugins still run.
 */
export class Unavailable extends Error {
  /** How an operator can fix it, e.g. `apt-get install chromium`. */
  readonly remedy: string | undefined;

  constructor(reason: string, remedy?: string) {
    super(reason);
    this.remedy = remedy;
  }
}

/** Returns the message of anything thrown, for a log line or a terminal. */
export function errorMessage(error: unknown): string {
  // A host name with several addresses, none of which answers: the errors of all of them.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(errorMessage).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Returns why something failed, for customers: an error that is none of ours is for the log. */
export const publicReason = (error: unknown): string =>
  error instanceof HttpError ? error.message : 'an internal error';

/**
 * Returns what failed and why, for a reply. Leaves out a reason that the system gave, such as `connect ECONNREFUSED …`: error
 * codes and system calls are for the log and for doctor.
 */
export function failureText(what: string, error: unknown): string {
  return error instanceof Error && 'syscall' in error ? what : `${what}: ${errorMessage(error)}`;
}
