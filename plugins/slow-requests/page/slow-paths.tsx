import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import {
  Answer,
  Card,
  Choices,
  CursorPaging,
  Empty,
  language,
  parseTime,
  t,
  Table,
  useAddressState,
  type Query,
} from '../../pages/kit/index.ts';
import { columns, ORDERS, type SlowPath } from './columns.tsx';

/** By name, the days that count; the longest are all that are kept. */
const PERIODS = { day: 1, week: 7, all: 90 } as const;
type Period = keyof typeof PERIODS;
const PAGE_PATHS = 25;

interface Chosen {
  readonly domain: string;
  readonly period: string;
  readonly sort: string;
}

interface Choice {
  readonly domain: string;
  readonly period: Period;
  readonly query: {
    readonly days: number;
    readonly sort: (typeof ORDERS)[number];
    readonly limit: number;
    readonly cursor: string;
  };
  readonly cursors: Signal<readonly string[]>;
  readonly set: (next: Partial<Chosen>) => void;
}

/** Returns what the page shows, which its address has; another choice begins with the first page. */
export function useChoice(): Choice {
  const [{ domain, ...given }, set] = useAddressState('domain', 'period', 'sort');
  const cursors = useSignal<readonly string[]>(['']);
  const period = given.period === 'day' || given.period === 'all' ? given.period : 'week';
  const sort = ORDERS.find((each) => each === given.sort) ?? 'total';
  return {
    ...{ domain, period, cursors },
    query: { days: PERIODS[period], sort, limit: PAGE_PATHS, cursor: cursors.value.at(-1) ?? '' },
    set: (next) => {
      cursors.value = [''];
      set(next);
    },
  };
}

interface Answered {
  readonly slow_seconds: number;
  readonly since: string;
  readonly paths: readonly SlowPath[];
  readonly next_cursor: string | null;
}

interface SlowPathsProps {
  readonly of: Query<Answered>;
  readonly choice: Choice;
  /** False where no web server says how long requests take. */
  readonly isCounted?: boolean;
  /** Further choices. */
  readonly children?: ComponentChildren;
}

/** Returns a day in UTC, as the server counts them. */
const day = (date: Date) => date.toLocaleDateString(language.value, { dateStyle: 'medium', timeZone: 'UTC' });

/** Paths at which requests took long, those first that cost the most. */
export function SlowPaths({ of, choice, isCounted = true, children }: SlowPathsProps) {
  const { data } = of;
  return (
    <Card isFlush>
      <div class="card-head filters">
        {children}
        <Choices
          label={t('slow-requests.period')}
          value={choice.period}
          of={(['day', 'week', 'all'] as const).map((each) => [each, t(`slow-requests.period.${each}`)] as const)}
          onChange={(period) => choice.set({ period })}
        />
        {data !== undefined && (
          <span class="small soft">
            {t('slow-requests.from', { n: data.slow_seconds, date: day(parseTime(data.since)) })}
          </span>
        )}
      </div>
      <Answer of={of} lines={8}>
        {({ paths, slow_seconds: n, next_cursor: next }) =>
          paths.length === 0 ? (
            <Empty icon="clock" title={t(isCounted ? 'slow-requests.none' : 'slow-requests.uncounted')}>
              {isCounted ? t('slow-requests.noneAbout', { n }) : t('slow-requests.uncountedAbout')}
            </Empty>
          ) : (
            <>
              <Table
                caption={t('slow-requests.title')}
                columns={columns()}
                rows={paths}
                keyOf={(each) => `${each.username ?? ''} ${each.domain_url} ${each.method} ${each.path}`}
                server={{
                  order: { by: choice.query.sort, isDescending: true },
                  onSort: ({ by }) => choice.set({ sort: by }),
                }}
              />
              <CursorPaging cursors={choice.cursors} next={next} />
            </>
          )
        }
      </Answer>
    </Card>
  );
}
