import type { ComponentChildren } from 'preact';
import {
  Answer,
  api,
  bytes,
  Card,
  Choices,
  countryName,
  Empty,
  language,
  number,
  PageHead,
  Select,
  t,
  Table,
  toUnicode,
  useAddressState,
  useDomainNames,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Visitors = ReplyOf<'GET /api/visitors'>;
type Counted = Visitors['pages'][number];

const PERIODS = ['1', '7', '30'] as const;
const DAYS = { 1: 1, 7: 7, 30: 30 } as const;
const [WIDTH, HEIGHT] = [960, 200];

export default function VisitorsPage() {
  const [{ domain: wanted, days: given }, set] = useAddressState('domain', 'days');
  const domains = useDomainNames();
  const days = PERIODS.find((each) => each === given) ?? '7';
  return (
    <>
      <PageHead title={t('visitors.title')} about={t('visitors.about')} />
      <Answer of={domains} lines={5}>
        {(names) => {
          const domain = names.find((name) => name === wanted) ?? names[0];
          if (domain === undefined)
            return (
              <Empty icon="users" title={t('visitors.noDomains')}>
                {t('visitors.noDomainsAbout')}
              </Empty>
            );
          return (
            <div class="stack">
              <div class="row apart">
                <Select
                  label={t('visitors.domain')}
                  isLabelHidden
                  value={domain}
                  of={names.map((name) => [name, toUnicode(name)] as const)}
                  onChange={(next) => set({ domain: next })}
                />
                <Choices
                  label={t('visitors.period')}
                  value={days}
                  of={PERIODS.map((each) => [each, t(`visitors.days.${each}`)] as const)}
                  onChange={(next) => set({ days: next })}
                />
              </div>
              <Counts key={`${domain} ${days}`} domain={domain} days={days} />
            </div>
          );
        }}
      </Answer>
    </>
  );
}

function Counts({ domain, days }: { readonly domain: string; readonly days: (typeof PERIODS)[number] }) {
  const visitors = useQuery(`visitors ${domain} ${days}`, (signal) =>
    api('GET /api/visitors', { query: { domain_url: domain, days: DAYS[days] }, signal }),
  );
  return (
    <Answer of={visitors} lines={8}>
      {(counts) => (
        <div class="stack">
          <div class="tiles">
            <Tile title={t('visitors.title')}>{number(counts.visitors)}</Tile>
            <Tile title={t('visitors.requests')}>{number(counts.hits)}</Tile>
            <Tile title={t('visitors.sent')}>{bytes(counts.bytes)}</Tile>
          </div>
          {counts.truncated && <p class="notice-bar small">{t('visitors.truncated')}</p>}
          <Card title={t('visitors.overTime')}>
            {counts.times.length === 0 ? (
              <Empty icon="users" title={t('visitors.nobody')}>
                {t('visitors.nobodyAbout')}
              </Empty>
            ) : (
              <Columns times={counts.times} />
            )}
          </Card>
          <Names title={t('visitors.pages')} rows={counts.pages} />
          <Names title={t('visitors.missing')} rows={counts.missing} />
          <Names title={t('visitors.statuses')} rows={counts.statuses} />
          <Names title={t('visitors.referrers')} rows={counts.referrers} />
          {counts.countries !== null && (
            <Names
              title={t('visitors.countries')}
              rows={counts.countries.map((each) => ({ ...each, name: countryName(each.name) }))}
            />
          )}
        </div>
      )}
    </Answer>
  );
}

function Tile({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <Card title={title}>
      <p class="title number">{children}</p>
    </Card>
  );
}

/** A column for each hour or day, and the same as a table for who does not see it. */
function Columns({ times }: { readonly times: Visitors['times'] }) {
  const top = Math.max(1, ...times.map(({ visitors }) => visitors));
  const width = WIDTH / times.length;
  return (
    <figure class="curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {times.map(({ time, visitors }, i) => (
          <rect
            key={time}
            class="column"
            x={i * width + width * 0.1}
            width={width * 0.8}
            y={HEIGHT - (visitors / top) * HEIGHT}
            height={(visitors / top) * HEIGHT}
          />
        ))}
      </svg>
      <div class="row apart small soft number" aria-hidden="true">
        <span>{timeText(times[0]?.time)}</span>
        <span>{times.length > 1 && timeText(times.at(-1)?.time)}</span>
      </div>
      <details>
        <summary>{t('visitors.asTable')}</summary>
        <dl class="facts">
          {times.map(({ time, visitors, hits }) => (
            <>
              <dt class="number">{timeText(time)}</dt>
              <dd class="number">{t('visitors.ofTime', { visitors: number(visitors), hits: number(hits) })}</dd>
            </>
          ))}
        </dl>
      </details>
    </figure>
  );
}

/** Writes a day or an hour of the server, such as `2026-11-24T16`, as the reader writes them. */
function timeText(time = ''): string {
  const [day = '', hour] = time.split('T');
  const at = new Date(`${day}T${hour ?? '00'}:00Z`);
  const form = { timeZone: 'UTC', dateStyle: 'medium' } as const;
  return at.toLocaleString(language.value, hour === undefined ? form : { ...form, timeStyle: 'short' });
}

function Names({ title, rows }: { readonly title: string; readonly rows: readonly Counted[] }) {
  if (rows.length === 0) return null;
  const columns: readonly Column<Counted>[] = [
    {
      name: 'name',
      title: t('visitors.name'),
      by: ({ name }) => name,
      cell: ({ name }) => <code class="wrap">{name}</code>,
    },
    { name: 'hits', title: t('visitors.requests'), by: ({ hits }) => hits, cell: ({ hits }) => number(hits) },
    {
      name: 'visitors',
      title: t('visitors.title'),
      by: ({ visitors }) => visitors,
      cell: ({ visitors }) => number(visitors),
    },
    { name: 'bytes', title: t('visitors.sent'), by: ({ bytes: sent }) => sent, cell: ({ bytes: sent }) => bytes(sent) },
  ];
  return (
    <Card title={title} isFlush>
      <Table caption={title} columns={columns} rows={rows} keyOf={({ name }) => name} sortedBy="hits" isDescending />
    </Card>
  );
}
