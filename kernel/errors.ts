/** The kernel's own errors. The member `error` of a problem reply is the key. */
const KERNEL_ERRORS = {
  invalid_request: [400, 'The request does not fit its description'],
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_path: [400, 'Not a usable path'],
  authentication_required: [401, 'Authentication required'],
  feature_disabled: [403, 'Feature not available on this plan'],
  admin_required: [403, 'Administrator access required'],
  edition_required: [403, 'Enterprise edition required'],
  host_not_allowed: [403, 'Host name not allowed'],
  not_found: [404, 'Not found'],
  folder_not_found: [404, 'Folder not found'],
  account_not_found: [404, 'Account not found'],
  plan_not_found: [404, 'Plan not found'],
  session_not_found: [404, 'Session not found'],
  method_not_allowed: [405, 'Method not allowed'],
  account_exists: [409, 'User name already in use'],
  plan_exists: [409, 'Plan name already in use'],
  plan_in_use: [409, 'Accounts still use this plan'],
  last_admin: [409, 'The last administrator must stay'],
  body_too_large: [413, 'Body too large'],
  unsupported_media_type: [415, 'The body must be JSON'],
  rate_limited: [429, 'Too many attempts'],
  internal_error: [500, 'Internal error'],
  feature_unavailable: [503, 'Not available on this server at the moment'],
  overloaded: [503, 'Too much work at the moment'],
  files_unavailable: [503, 'Files not available at the moment'],
  // Shared by several areas:
  invalid_docroot: [400, 'Not a usable document root'],
  invalid_domain: [400, 'Not a usable domain name'],
  domain_not_found: [404, 'Domain not found'],
  own_account: [409, 'Not possible with the account that asks'],
  webserver_failed: [502, 'The web server refused the change'],
  containers_unavailable: [503, 'Containers not available at the moment'],
} as const satisfies ErrorTable;

/** Status and English title (RFC 9457 `title`) by code. The code is stable; other languages are in the folders `locales`. */
export type ErrorTable = Readonly<Record<string, readonly [status: number, title: string]>>;

/**
 * The codes that exist. A plugin adds its own beside its table of errors:
 * `declare module '../../kernel/errors.ts' { interface ErrorCodes extends Record<keyof typeof errors, true> {} }`.
 */
export interface ErrorCodes extends Record<keyof typeof KERNEL_ERRORS, true> {}
export type ErrorCode = keyof ErrorCodes;

/** All errors that this process knows: the kernel's, and those of the plugins that it loaded. */
const known = new Map<string, readonly [status: number, title: string]>(Object.entries(KERNEL_ERRORS));

/** Makes a plugin's errors known, before its routes are served. Throws where a code means something else already. */
export function declareErrors(errors: ErrorTable): void {
  for (const [code, [status, title]] of Object.entries(errors)) {
    const other = known.get(code);
    if (other !== undefined && (other[0] !== status || other[1] !== title))
      throw new Error(`the error ${code} is declared twice, as ${other.join(' ')} and as ${status} ${title}`);
    known.set(code, [status, title]);
  }
}

/** All codes that are known in this process. */
export function errorCodes(): string[] {
  return [...known.keys()];
}

export function isErrorCode(code: string): code is ErrorCode {
  return known.has(code);
}

/** Status and English title of a code. */
export function errorKind(code: ErrorCode): readonly [status: number, title: string] {
  return known.get(code) ?? KERNEL_ERRORS.internal_error;
}

interface ProblemOptions {
  readonly cause?: unknown;
  /** Extra reply headers, e.g. `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Extra members of the problem body, e.g. `feature` or `errors`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** An error that the client is told about; the status follows from the code, `cause` goes to the log only. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly members: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, detail: string, { cause, headers, members }: ProblemOptions = {}) {
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.headers = headers;
    this.members = members;
  }

  get status(): number {
    return errorKind(this.code)[0];
  }
}

/** An `HttpError` that tells the client when to come back (whole seconds, at least 1). */
export function retryLater(code: ErrorCode, detail: string, seconds: number, cause?: unknown): HttpError {
  return new HttpError(code, detail, { cause, headers: { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) } });
}

/** One thing wrong with a value: JSON pointer into it (`""` = the value itself) and what was expected. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The 400 for a value that does not fit; `where` is body, query or path. */
export function invalid(where: string, issues: readonly Issue[]): HttpError {
  const first = issues[0];
  const detail = first === undefined ? `the ${where} is not valid` : `${where}${first.path} ${first.message}`;
  return new HttpError('invalid_request', detail, { members: { errors: issues } });
}

/** The 401 for whatever is wrong with a token: one answer for all. */
export function unauthenticated(): HttpError {
  return new HttpError('authentication_required', 'a valid bearer token is needed', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** Thrown by a plugin's `setup` when the host lacks what it needs: its routes answer 503, the rest runs on. */
export class Unavailable extends Error {
  /** What an operator can do, e.g. `apt-get install chromium`. */
  readonly remedy: string | undefined;

  constructor(reason: string, remedy?: string) {
    super(reason);
    this.remedy = remedy;
  }
}

/** The message of anything thrown, for a log line or a person at a terminal. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
