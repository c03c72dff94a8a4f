/**
 * Every error code that a client can meet, with its status and English title (RFC 9457 `title`).
 * The member `error` of a problem reply is the key; it is stable, titles are translated by `config/locales`.
 */
export const CATALOGUE = {
  invalid_request: [400, 'The request does not fit its description'],
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_domain: [400, 'Not a usable domain name'],
  invalid_docroot: [400, 'Not a usable document root'],
  invalid_path: [400, 'Not a usable path'],
  invalid_unit: [400, 'Unknown unit'],
  invalid_code: [400, 'The code is not valid'],
  authentication_required: [401, 'Authentication required'],
  invalid_credentials: [401, 'Invalid credentials'],
  feature_disabled: [403, 'Feature not available on this plan'],
  admin_required: [403, 'Administrator access required'],
  edition_required: [403, 'Enterprise edition required'],
  scope_required: [403, 'The token does not cover this'],
  host_not_allowed: [403, 'Host name not allowed'],
  not_found: [404, 'Not found'],
  domain_not_found: [404, 'Domain not found'],
  folder_not_found: [404, 'Folder not found'],
  database_not_found: [404, 'Database not found'],
  database_info_not_found: [404, 'No application configuration found'],
  account_not_found: [404, 'Account not found'],
  plan_not_found: [404, 'Plan not found'],
  session_not_found: [404, 'Session not found'],
  method_not_allowed: [405, 'Method not allowed'],
  domain_exists: [409, 'Domain name already in use'],
  domain_limit_reached: [409, 'Domain limit of the plan reached'],
  favorites_full: [409, 'No room for another favorite'],
  account_exists: [409, 'User name already in use'],
  plan_exists: [409, 'Plan name already in use'],
  plan_in_use: [409, 'Accounts still use this plan'],
  last_admin: [409, 'The last administrator must stay'],
  own_account: [409, 'Not possible with the account that asks'],
  twofa_already_enabled: [409, 'Two-factor authentication is already on'],
  twofa_not_enabled: [409, 'Two-factor authentication is not on'],
  twofa_not_started: [409, 'Two-factor set-up was not started'],
  body_too_large: [413, 'Body too large'],
  unsupported_media_type: [415, 'The body must be JSON'],
  invalid_config_file: [422, 'The configuration file cannot be read'],
  rate_limited: [429, 'Too many attempts'],
  internal_error: [500, 'Internal error'],
  site_unreachable: [502, 'The site cannot be reached'],
  webserver_failed: [502, 'The web server refused the change'],
  feature_unavailable: [503, 'Not available on this server at the moment'],
  overloaded: [503, 'Too much work at the moment'],
  containers_unavailable: [503, 'Containers not available at the moment'],
  databases_unavailable: [503, 'Databases not available at the moment'],
  screenshots_unavailable: [503, 'Screenshots not available at the moment'],
  files_unavailable: [503, 'Files not available at the moment'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof CATALOGUE;

export interface ProblemOptions {
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
    return CATALOGUE[this.code][0];
  }
}

/** An `HttpError` that tells the client when to come back (whole seconds, at least 1). */
export function retryLater(code: ErrorCode, detail: string, seconds: number, cause?: unknown): HttpError {
  return new HttpError(code, detail, { cause, headers: { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) } });
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
