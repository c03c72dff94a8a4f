import { mkdir, writeFile } from 'node:fs/promises';
import type { Host } from '../../kernel/contract/plugin.ts';
import { hoursBefore, type DemoContext } from '../../kernel/contract/points/demo.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import type { SiteFolders } from './site-logs/segments.ts';

/** Addresses of public name servers: the base of countries knows none for documentation. */
const ADDRESSES = [
  ...['194.150.168.168', '130.225.244.166', '80.67.169.12', '8.8.8.8', '81.2.69.142', '2001:910:800::12'],
  ...['194.150.168.169', '80.67.169.40', '9.9.9.9', '1.1.1.1'],
];
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
  'Mozilla/5.0 (iPhone) Safari/605.1',
  'Mozilla/5.0 (Windows NT 10.0) Edg/142.0',
];
/** A request, its status, the bytes that were sent, and where it came from. */
const REQUESTS = [
  ['GET /', 200, 5120, 'https://search.example/'],
  ['GET /style.css', 200, 2210, '-'],
  ['GET /about/', 200, 4096, '-'],
  ['GET /', 200, 5120, '-'],
  ['GET /gallery/summer.jpg', 200, 184_320, '-'],
  ['POST /contact', 303, 310, '-'],
  ['GET /old-menu.html', 404, 1530, 'https://guide.example/eating-out'],
  ['GET /gallery/winter.jpg', 304, 180, '-'],
] as const;
const DAYS = 14;
/** Before those that the web server is about to log. */
const SEGMENT = 0;

/** Gives the sites of the demo's first account two weeks of visitors, who sleep at night. */
export async function fillDemo(
  host: Pick<Host, 'peer'>,
  folders: SiteFolders,
  { demo, now }: DemoContext,
): Promise<void> {
  const domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
  for (const [nth, { id }] of (await domains.list(demo)).entries()) {
    const lines: string[] = [];
    for (let hour = DAYS * 24; hour > 0; hour -= 1) {
      const at = new Date(hoursBefore(now, hour));
      const visits = Math.max(0, Math.round((9 - Math.abs(15 - at.getUTCHours())) / (nth + 1)));
      for (let i = 0; i < visits; i += 1) lines.push(line(new Date(at.getTime() + i * 240_000), hour * 3 + i));
    }
    await mkdir(folders.folder(id), { recursive: true, mode: 0o700 });
    await writeFile(folders.path(id, 'access', SEGMENT), `${lines.join('\n')}\n`, { mode: 0o600 });
  }
}

function line(at: Date, n: number): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(at.toUTCString()) ?? [];
  const of = <T>(all: readonly T[], step: number) => all[Math.floor(n / step) % all.length] as T;
  const [request, status, bytes, referrer] = of(REQUESTS, 1);
  const who = `${of(ADDRESSES, 2)} - - [${day}/${month}/${year}:${time} +0000]`;
  return `${who} "${request} HTTP/1.1" ${status} ${bytes} "${referrer}" "${of(AGENTS, 5)}"`;
}
