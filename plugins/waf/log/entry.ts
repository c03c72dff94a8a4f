import { isObject } from '../../../kernel/schema.ts';
import { sumsUp } from '../site-waf.ts';

/** A rule that found something. */
export interface FoundRule {
  readonly id: number;
  readonly message: string;
  readonly tags: readonly string[];
}
/** A request in which rules found something. */
export interface FoundRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly ip: string;
  readonly method: string;
  /** With the query. */
  readonly uri: string;
  readonly status: number;
  /** Whether it was refused. */
  readonly isBlocked: boolean;
  readonly rules: readonly FoundRule[];
}

/** As `site-directives.ts` has the server write it. */
const ID = /^([a-z0-9.-]{1,253})\/(\d{1,12}\.\d{3})\/[0-9a-f]{32}$/;
export const MOST_RULES = 20;
export const MOST_TAGS = 20;
export const LONGEST = { uri: 2048, message: 300, tag: 64, method: 32, ip: 45 };

/**
 * Returns a line of the log with the name of its domain. It is JSON of ModSecurity, in which a visitor cannot end a line or a text;
 * `undefined` for anything else, such as a line that a full disk cut off.
 */
export function readEntry(line: string): { readonly site: string; readonly request: FoundRequest } | undefined {
  const transaction = member(parse(line), 'transaction');
  const [, site, seconds] = ID.exec(text(transaction, 'unique_id', 400)) ?? [];
  if (site === undefined) return undefined;
  const request = member(transaction, 'request');
  const messages = member(transaction, 'messages');
  const found = Array.isArray(messages) ? messages.slice(0, 4 * MOST_RULES).map(readRule) : [];
  const status = member(member(transaction, 'response'), 'http_code');
  const refuses = member(member(transaction, 'producer'), 'secrules_engine') === 'Enabled' && status === 403;
  return {
    site,
    request: {
      at: Math.round(Number(seconds) * 1000),
      ip: text(transaction, 'client_ip', LONGEST.ip),
      method: text(request, 'method', LONGEST.method),
      uri: text(request, 'uri', LONGEST.uri),
      status: typeof status === 'number' && Number.isInteger(status) ? status : 0,
      isBlocked: refuses && found.some(({ id }) => sumsUp(id)),
      rules: found.filter(({ id }) => id > 0 && !sumsUp(id)).slice(0, MOST_RULES),
    },
  };
}

function readRule(value: unknown): FoundRule {
  const details = member(value, 'details');
  const tags = member(details, 'tags');
  return {
    id: Number(/^\d{1,9}$/.exec(text(details, 'ruleId', 10))?.[0] ?? 0),
    message: text(value, 'message', LONGEST.message),
    tags: (Array.isArray(tags) ? tags.slice(0, MOST_TAGS) : []).map((tag) => String(tag).slice(0, LONGEST.tag)),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(Buffer.from(line, 'latin1').toString());
  } catch {
    return undefined; // cut off, or not ModSecurity's
  }
}

const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

function text(value: unknown, name: string, longest: number): string {
  const found = member(value, name);
  return typeof found === 'string' ? found.slice(0, longest) : '';
}
