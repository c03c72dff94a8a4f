import type { LogLine } from '../schema.ts';
import type { Kind } from './segments.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** The combined format: in quoted values, the web server writes quotes and control characters as `\xXX`. */
const ACCESS =
  /^(\S+) - .*? \[(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\] "([^"]*)" (\d{3}) (\d+) "([^"]*)" "([^"]*)"$/;
const ERROR =
  /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) \[(\w+)\] .*?, client: ([^,]+), server: .*?, request: "([^"]*)/;
const NONE = {
  at: null,
  ip: null,
  method: null,
  path: null,
  status: null,
  bytes: null,
  referrer: null,
  agent: null,
  level: null,
};

/** Reads a stored line. What cannot be read is there as text alone. */
export function parseLine(kind: Kind, text: string): LogLine {
  return { ...NONE, ...(kind === 'access' ? parseAccess(text) : parseError(text)), text };
}

function parseAccess(text: string): Partial<LogLine> {
  const [
    ,
    ip = null,
    day,
    month = '',
    year,
    time,
    hours,
    minutes,
    request = '',
    status,
    bytes,
    referrer = '',
    agent = '',
  ] = ACCESS.exec(text) ?? [];
  if (ip === null) return {};
  const nth = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  return {
    ...{ at: timeOf(`${year}-${nth}-${day}T${time}${hours}:${minutes}`), ip, ...parseRequest(request) },
    ...{ status: Number(status), bytes: Number(bytes), referrer: shown(referrer), agent: shown(agent) },
  };
}

function parseError(text: string): Partial<LogLine> {
  const [, year, month, day, time, level = null, ip = null, request = ''] = ERROR.exec(text) ?? [];
  if (level === null) return {};
  return { at: timeOf(`${year}-${month}-${day}T${time}`), ip, level, ...parseRequest(request) };
}

function parseRequest(request: string): Pick<LogLine, 'method' | 'path'> {
  const [method = '', path = ''] = request.split(' ');
  return /^[A-Z]{1,20}$/.test(method) && path !== '' ? { method, path } : { method: null, path: null };
}

/** The web server has the time zone of this host. */
function timeOf(text: string): string | null {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const shown = (value: string): string | null => (value === '-' || value === '' ? null : value);
