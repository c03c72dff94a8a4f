import { at, Badge, DomainName, number, t, Time, type Column, type ReplyOf } from '../../pages/kit/index.ts';

type Own = ReplyOf<'GET /api/slow-requests'>['paths'][number];
/** A path as customers see it, or as operators do. */
export type SlowPath = Omit<Own, 'slowest_query'> & { readonly slowest_query?: string; readonly username?: string };

/** The orders in which the server lists paths, by the names of columns. */
export const ORDERS = ['total', 'slowest', 'requests', 'last'] as const;

const MINUTE_MS = 60_000;

/** Returns a time as people read it: 0.9 s, 4.6 s, 31 s, 3 min. */
function duration(ms: number): string {
  if (ms >= 2 * MINUTE_MS) return `${number(ms / MINUTE_MS)} min`;
  return `${number(ms / 1000, ms < 10_000 ? 1 : 0)} s`;
}

/** A column of a figure by which the server sorts, the most first. */
const figure = (name: (typeof ORDERS)[number], title: string, cell: Column<SlowPath>['cell']): Column<SlowPath> => ({
  ...{ name, title, cell, isMostFirst: true },
  by: () => 0,
});

export const columns = (): readonly Column<SlowPath>[] => [
  { name: 'path', title: t('slow-requests.path'), cell: Path },
  figure('requests', t('slow-requests.requests'), ({ requests }) => number(requests)),
  { name: 'average', title: t('slow-requests.average'), cell: ({ average_ms: ms }) => duration(ms) },
  figure('total', t('slow-requests.total'), ({ total_ms: ms }) => duration(ms)),
  figure('slowest', t('slow-requests.slowest'), Slowest),
  figure('last', t('slow-requests.last'), ({ last_at: last }) => <Time at={last} isRelative />),
];

function Path({ username, domain_url: domain, method, path }: SlowPath) {
  return (
    <span class="stack tight">
      <code class="wrap">{`${method} ${path}`}</code>
      <span class="small soft">
        {username !== undefined && (
          <>
            <a href={at(`/accounts/${encodeURIComponent(username)}`)}>{username}</a> ·{' '}
          </>
        )}
        <DomainName name={domain} />
      </span>
    </span>
  );
}

function Slowest({ slowest_ms: ms, slowest_at: when, slowest_query: query = '', slowest_status: status }: SlowPath) {
  return (
    <span class="stack tight">
      <span>
        {duration(ms)} {status >= 400 && <Badge tone={status >= 500 ? 'bad' : 'warn'}>{status}</Badge>}
      </span>
      <span class="small soft">
        <Time at={when} />
      </span>
      {query !== '' && <code class="small wrap">{`?${query}`}</code>}
    </span>
  );
}
