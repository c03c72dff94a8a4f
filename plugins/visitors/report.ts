import type { Visitors } from './schema.ts';

/** The parts of a report of goaccess that are read. */
interface Report {
  readonly general?: {
    readonly bandwidth: number;
    readonly unique_visitors: number;
    readonly valid_requests: number;
  };
  readonly visitors?: Panel;
  readonly requests?: Panel;
  readonly not_found?: Panel;
  readonly status_codes?: Panel;
  readonly referring_sites?: Panel;
  readonly geolocation?: Panel;
}
interface Panel {
  readonly data?: readonly Item[];
}
interface Item {
  readonly data: string;
  readonly hits?: { readonly count: number };
  readonly visitors?: { readonly count: number };
  readonly bytes?: { readonly count: number };
  readonly items?: readonly Item[];
}
type Counted = Visitors['pages'][number];

const MOST = 20;
const LONGEST = 500;

type Counts = Omit<Visitors, 'domain_url' | 'since' | 'counted_at' | 'truncated'>;

/** Of a site that has no log. */
export const NOBODY: Counts = {
  ...{ hits: 0, visitors: 0, bytes: 0 },
  ...{ times: [], pages: [], missing: [], statuses: [], referrers: [], countries: null },
};

/** Reads a report. Throws for one that is none. */
export function readReport(json: string, hasCountries: boolean): Counts {
  const report = JSON.parse(json) as Report;
  const { bandwidth, unique_visitors: visitors, valid_requests: hits } = report.general ?? {};
  if (hits === undefined || visitors === undefined || bandwidth === undefined)
    throw new Error('the report has no totals');
  return {
    ...{ hits, visitors, bytes: bandwidth },
    times: (report.visitors?.data ?? [])
      .map((item) => ({ ...counts(item), time: timeOf(item.data) }))
      .toSorted((a, b) => (a.time < b.time ? -1 : 1)),
    pages: top(report.requests?.data),
    missing: top(report.not_found?.data),
    statuses: top(inner(report.status_codes)).map((each) => ({ ...each, name: each.name.slice(0, 3) })),
    referrers: top(report.referring_sites?.data),
    countries: hasCountries ? countriesIn(inner(report.geolocation)) : null,
  };
}

/** The items of groups: countries of continents, statuses of classes. */
const inner = (panel: Panel | undefined): readonly Item[] => (panel?.data ?? []).flatMap(({ items = [] }) => items);

/** Of `DE Germany` or `Unknown`, the code is told. */
const countriesIn = (items: readonly Item[]): Counted[] =>
  top(items.map((item) => ({ ...item, data: /^[A-Z]{2}(?= )/.exec(item.data)?.[0] ?? '' })));

const top = (items: readonly Item[] = []): Counted[] =>
  items
    .map((item) => ({ name: item.data.slice(0, LONGEST), ...counts(item) }))
    .toSorted((a, b) => b.hits - a.hits)
    .slice(0, MOST);

const counts = ({ hits, visitors, bytes }: Item): Omit<Counted, 'name'> => ({
  hits: hits?.count ?? 0,
  visitors: visitors?.count ?? 0,
  bytes: bytes?.count ?? 0,
});

/** `20261124` or `2026112416`. */
const timeOf = (text: string): string =>
  text.replace(
    /^(\d{4})(\d\d)(\d\d)(\d\d)?.*$/,
    (_, year, month, day, hour?: string) => `${year}-${month}-${day}${hour === undefined ? '' : `T${hour}`}`,
  );
