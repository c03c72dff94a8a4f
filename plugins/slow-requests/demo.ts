import type { Host } from '../../kernel/contract/plugin.ts';
import { hoursBefore, type DemoContext } from '../../kernel/contract/points/demo.ts';
import { NO_DOMAINS, type DomainDirectory } from '../../kernel/areas/sites/domain-directory.ts';
import { addRequests } from './store.ts';

/** A path, how often it was slow, and how long it took at least. */
const PATHS = [
  ['GET /search?q=terrace+plants&page=3', 34, 4300],
  ['POST /wp-admin/admin-ajax.php?action=import', 12, 9100],
  ['GET /', 21, 2050],
  ['GET /gallery/2026/summer?size=full', 3, 14_200],
] as const;
const HOURS = 90;

/** Gives each customer fewer slow paths than the one before. */
export async function fillDemo(host: Host, { demo, other, neighbours, now }: DemoContext): Promise<void> {
  const domains = host.peer<DomainDirectory>('domains') ?? NO_DOMAINS;
  for (const [nth, account] of [demo, other, ...neighbours].entries()) {
    const [domain] = await domains.list(account);
    if (domain === undefined) continue;
    const requests = PATHS.slice(nth).flatMap(([request, times, leastMs]) => {
      const [method = '', path = ''] = request.split(' ');
      return Array.from({ length: times }, (_, i) => ({
        ...{ accountId: account.id, domainId: domain.id, method, path },
        at: hoursBefore(now, HOURS - (HOURS / times) * i),
        ...{ tookMs: leastMs + ((i * 377) % leastMs), status: i % 11 === 10 ? 504 : 200 },
      }));
    });
    await host.local.write((tx) => addRequests(tx, requests));
  }
}
