/** The lines of nginx's logs, as `SiteLogs` describes them; each byte is a character. */

/** A line of a site. */
export interface SiteLine {
  /** A name of the site: that of the domain from nginx, any of its names from Caddy. */
  readonly site: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Bytes that were sent to the visitor. */
  readonly bytes: number;
  /** How long a script took to answer; 0 where that is not known. */
  readonly tookMs: number;
  /** Printable ASCII. */
  readonly line: string;
}

const DATE = '2026/11/24 '.length;
const TIME = '2026/11/24 16:00:00'.length;
const SERVER = ', server: ';
const REQUEST = ', request: "';

/** Returns the lines of an access log. Runs for each request of all sites, so it only looks for characters. */
export function accessLines(text: string): SiteLine[] {
  const lines: SiteLine[] = [];
  for (let start = 0, end; (end = text.indexOf('\n', start)) >= 0; start = end + 1) {
    const afterSite = text.indexOf(' ', start);
    const afterTime = text.indexOf(' ', afterSite + 1);
    const afterBytes = text.indexOf(' ', afterTime + 1);
    if (afterSite <= start || afterTime < 0 || afterBytes < 0 || afterBytes > end) continue;
    const site = text.slice(start, afterSite);
    // A line that a full disk cut off, and to which another site's was added, has two names.
    if (!text.endsWith(`" ${site}`, end)) continue;
    const at = Number(text.slice(afterSite + 1, afterTime)) * 1000;
    const sent = text.slice(afterTime + 1, afterBytes);
    const slash = sent.indexOf('/');
    const bytes = Number(slash < 0 ? sent : sent.slice(0, slash));
    const tookMs = slash < 0 ? 0 : Math.round(Number(sent.slice(slash + 1)) * 1000);
    if (at > 0 && bytes >= 0 && tookMs >= 0)
      lines.push({ site, at, bytes, tookMs, line: text.slice(afterBytes + 1, end - site.length - 1) });
  }
  return lines;
}

/**
 * Returns the lines of an error log that belong to a site: the paths and headers in them are the visitor's, so a line that names a
 * server twice belongs to none.
 */
export function errorLines(text: string): SiteLine[] {
  const lines: SiteLine[] = [];
  const printable = text.replaceAll(/[^\n -~]/g, (character) => escaped(character.charCodeAt(0)));
  for (let start = 0, end; (end = printable.indexOf('\n', start)) >= 0; start = end + 1) {
    const line = printable.slice(start, end);
    const named = line.indexOf(SERVER);
    const stop = line.indexOf(REQUEST, named);
    if (named < 0 || stop < 0 || line.indexOf(SERVER, named + 1) >= 0) continue;
    if (line.indexOf(line.slice(0, DATE), DATE) >= 0) continue; // cut off by a full disk, and another one added
    const at = Date.parse(line.slice(0, TIME).replaceAll('/', '-').replace(' ', 'T'));
    if (!Number.isNaN(at)) lines.push({ site: line.slice(named + SERVER.length, stop), at, bytes: 0, tookMs: 0, line });
  }
  return lines;
}

export const escaped = (byte: number): string => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
