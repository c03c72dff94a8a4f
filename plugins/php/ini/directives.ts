/**
 * The directives of php.ini that customers may set. None of them names a path, a program, a function or a server; what would is left
 * to the operator, and what is an option of a domain is changed there.
 */
export type Directive =
  | { readonly kind: 'flag' }
  | { readonly kind: 'number'; readonly smallest: number; readonly largest: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'text'; readonly pattern: RegExp; readonly example: string }
  /** A set of levels of errors. */
  | { readonly kind: 'levels'; readonly example: string };

const FLAG: Directive = { kind: 'flag' };
const number = (smallest: number, largest: number): Directive => ({ kind: 'number', smallest, largest });
const choice = (...choices: readonly string[]): Directive => ({ kind: 'choice', choices });
const text = (pattern: RegExp, example: string): Directive => ({ kind: 'text', pattern, example });

const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;

export const DIRECTIVES: ReadonlyMap<string, Directive> = new Map<string, Directive>([
  ['default_charset', text(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,39}$/, 'UTF-8')],
  ['default_mimetype', text(/^[a-z]{1,20}\/[a-z0-9][a-z0-9.+-]{0,60}$/, 'text/html')],
  ['default_socket_timeout', number(1, 600)],
  ['error_reporting', { kind: 'levels', example: 'E_ALL & ~E_DEPRECATED' }],
  ['html_errors', FLAG],
  ['ignore_repeated_errors', FLAG],
  ['ignore_user_abort', FLAG],
  ['implicit_flush', FLAG],
  ['log_errors', FLAG],
  ['max_file_uploads', number(0, 200)],
  ['max_input_nesting_level', number(1, 1000)],
  ['max_input_time', number(-1, 3600)],
  ['max_input_vars', number(1, 100_000)],
  ['opcache.revalidate_freq', number(0, DAY_SECONDS)],
  ['output_buffering', number(0, 1_048_576)],
  ['pcre.backtrack_limit', number(1000, 10_000_000)],
  ['pcre.recursion_limit', number(1000, 1_000_000)],
  ['precision', number(-1, 17)],
  ['serialize_precision', number(-1, 17)],
  ['session.cache_expire', number(1, 525_600)],
  ['session.cache_limiter', choice('', 'nocache', 'private', 'private_no_expire', 'public')],
  ['session.cookie_domain', text(/^(\.?[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,10})?$/, 'example.com')],
  ['session.cookie_httponly', FLAG],
  ['session.cookie_lifetime', number(0, YEAR_SECONDS)],
  ['session.cookie_path', text(/^\/[A-Za-z0-9/_.~-]{0,200}$/, '/shop/')],
  ['session.cookie_samesite', choice('', 'Lax', 'Strict', 'None')],
  ['session.cookie_secure', FLAG],
  ['session.gc_maxlifetime', number(60, YEAR_SECONDS)],
  ['session.lazy_write', FLAG],
  ['session.name', text(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'SHOPSESSION')],
  ['session.use_strict_mode', FLAG],
  ['short_open_tag', FLAG],
  ['zlib.output_compression', FLAG],
  ['zlib.output_compression_level', number(-1, 9)],
]);

/** Directives that are options of a domain, with bounds of its account's plan. */
export const OPTIONS: ReadonlySet<string> = new Set([
  ...['date.timezone', 'display_errors', 'max_execution_time', 'memory_limit', 'post_max_size', 'upload_max_filesize'],
]);

const LEVELS = {
  ...{ E_ERROR: 1, E_WARNING: 2, E_PARSE: 4, E_NOTICE: 8, E_CORE_ERROR: 16, E_CORE_WARNING: 32 },
  ...{ E_COMPILE_ERROR: 64, E_COMPILE_WARNING: 128, E_USER_ERROR: 256, E_USER_WARNING: 512, E_USER_NOTICE: 1024 },
  ...{ E_STRICT: 2048, E_RECOVERABLE_ERROR: 4096, E_DEPRECATED: 8192, E_USER_DEPRECATED: 16_384, E_ALL: 32_767 },
} as const;
const FLAGS = new Map([
  ...['1', 'on', 'yes', 'true'].map((word) => [word, '1'] as const),
  ...['0', 'off', 'no', 'false'].map((word) => [word, '0'] as const),
]);

/** Returns the value as it is written for PHP; `undefined` if the directive cannot have it. */
export function valueFrom(directive: Directive, given: string): string | undefined {
  const value =
    directive.kind === 'flag'
      ? FLAGS.get(given.toLowerCase())
      : directive.kind === 'levels'
        ? levelsFrom(given)
        : given;
  return value !== undefined && isValue(directive, value) ? value : undefined;
}

/** Whether a value is in the form in which it is written for PHP, and within its bounds. */
export function isValue(directive: Directive, value: string): boolean {
  if (directive.kind === 'flag') return value === '0' || value === '1';
  if (directive.kind === 'choice') return directive.choices.includes(value);
  if (directive.kind === 'text') return directive.pattern.test(value);
  if (directive.kind === 'levels') return isNumber(value, 0, LEVELS.E_ALL);
  return isNumber(value, directive.smallest, directive.largest);
}

/** Says what a directive may have, as part of a sentence. */
export function boundsText(directive: Directive): string {
  if (directive.kind === 'flag') return 'on or off';
  if (directive.kind === 'number') return `a whole number from ${directive.smallest} to ${directive.largest}`;
  if (directive.kind === 'choice') return `one of ${directive.choices.map((each) => each || '""').join(', ')}`;
  if (directive.kind === 'text') return `a text such as ${directive.example}`;
  return `a number, or levels such as ${directive.example}`;
}

function isNumber(value: string, smallest: number, largest: number): boolean {
  return /^(0|-?[1-9][0-9]{0,9})$/.test(value) && Number(value) >= smallest && Number(value) <= largest;
}

/** Reads `E_ALL & ~E_NOTICE | E_STRICT` as PHP does: `&` before `|`. */
function levelsFrom(given: string): string | undefined {
  if (/^[0-9]{1,5}$/.test(given)) return given;
  let all = 0;
  for (const part of given.split('|')) {
    let levels: number = LEVELS.E_ALL;
    for (const term of part.split('&')) {
      const [, not, name = ''] = /^(~?)\s*([A-Z_]{1,30})$/.exec(term.trim()) ?? [];
      if (!Object.hasOwn(LEVELS, name)) return undefined;
      const level = LEVELS[name as keyof typeof LEVELS];
      levels &= not === '~' ? ~level : level;
    }
    all |= levels;
  }
  return String(all);
}
