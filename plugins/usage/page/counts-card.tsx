import { api, Card, ErrorPanel, number, ofNode, Skeleton, Sparkline, t, useQuery } from '../../pages/kit/index.ts';

const COUNTS = ['users', 'domains', 'websites'] as const;
type Day = Readonly<Record<(typeof COUNTS)[number], number>>;
const SHOWN_DAYS = 30;
const TREND_DAYS = 7;

/** How many accounts, domains and websites there are, and how that changed in a week. */
export function CountsCard() {
  const stats = useQuery('stats', async (signal) => {
    const { usage_stats: lines } = await api('GET /api/usage/stats', { query: ofNode(), signal });
    return lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Day]));
  });
  const days = stats.data?.slice(-SHOWN_DAYS) ?? [];
  const [last, before] = [days.at(-1), days.at(-1 - TREND_DAYS)];
  if (stats.data === undefined)
    return stats.error === undefined ? <Skeleton /> : <ErrorPanel error={stats.error} onRetry={stats.reload} />;
  if (last === undefined) return null; // before the first day has been counted
  return (
    <>
      {COUNTS.map((count) => {
        const values = days.map((day) => day[count]);
        const top = Math.max(1, ...values);
        const change = before === undefined ? undefined : last[count] - before[count];
        return (
          <Card key={count} title={t(`usage.metric.${count}`)}>
            <div class="tile">
              <span class="value">{number(last[count])}</span>
              <Sparkline values={values.map((value) => (value / top) * 90)} length={Math.max(2, values.length)} />
              <span class="small soft number">{change === undefined ? t('usage.noTrend') : trendText(change)}</span>
            </div>
          </Card>
        );
      })}
    </>
  );
}

function trendText(change: number): string {
  if (change === 0) return t('usage.unchanged');
  return t('usage.trend', { change: `${change > 0 ? '+' : '−'}${number(Math.abs(change))}` });
}
