import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Button,
  Card,
  Choices,
  dateTime,
  Empty,
  number,
  ofNode,
  percent,
  t,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { useDrag } from './drag.ts';

const METRICS = ['cpu', 'memory', 'disk', 'users', 'domains', 'websites'] as const;
type Metric = (typeof METRICS)[number];
/** Seconds by range. */
const RANGES = { hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 } as const;
type Range = keyof typeof RANGES;
const [WIDTH, HEIGHT] = [960, 200];
/** Seconds. */
interface Zoom {
  readonly from: number;
  readonly to: number;
}
/** The shortest time that is worth a curve of its own, in seconds. */
const SHORTEST = 120;

/** A figure over the last hour, day, week or month: as a curve, and as a table for who does not see it. */
export function HistoryCard() {
  const metric = useSignal<Metric>('cpu');
  const range = useSignal<Range>('hour');
  const zoom = useSignal<Zoom | undefined>(undefined);
  const history = useQuery(`history ${metric.value} ${range.value} ${JSON.stringify(zoom.value)}`, (signal) => {
    const now = Math.floor(Date.now() / 1000);
    const { from, to } = zoom.value ?? { from: now - RANGES[range.value], to: now };
    const query = { metric: metric.value, from: String(from), to: String(to), ...ofNode() };
    return api('GET /api/usage/history', { query, signal });
  });
  return (
    <Card title={t('usage.history')}>
      <div class="stack">
        <div class="row apart">
          <Choices
            label={t('usage.metric')}
            value={metric.value}
            of={METRICS.map((each) => [each, t(`usage.metric.${each}`)] as const)}
            onChange={(next) => (metric.value = next)}
          />
          <Choices
            label={t('usage.range')}
            value={range.value}
            of={(Object.keys(RANGES) as Range[]).map((each) => [each, t(`usage.range.${each}`)] as const)}
            onChange={(next) => {
              range.value = next;
              zoom.value = undefined;
            }}
          />
        </div>
        <Answer of={history} lines={4}>
          {(data) =>
            data.points.length < 2 ? (
              <Empty icon="gauge" title={t('usage.noHistory')}>
                {t('usage.noHistoryAbout')}
              </Empty>
            ) : (
              <>
                <Curve history={data} onZoom={(next) => void (zoom.value = next)} />
                <div class="row">
                  <Button isSmall icon="search" onClick={() => void (zoom.value = middleOf(data))}>
                    {t('usage.zoomIn')}
                  </Button>
                  <Button
                    isSmall
                    kind="plain"
                    isDisabled={zoom.value === undefined}
                    onClick={() => void (zoom.value = undefined)}
                  >
                    {t('usage.zoomOut')}
                  </Button>
                  <span class="small soft">{t('usage.zoomHint')}</span>
                </div>
              </>
            )
          }
        </Answer>
      </div>
    </Card>
  );
}

/** Returns the middle half of what is shown. */
function middleOf({ from, to }: Zoom): Zoom {
  const quarter = Math.floor((to - from) / 4);
  return to - from < 2 * SHORTEST ? { from, to } : { from: from + quarter, to: to - quarter };
}

/** Parts of the axis of values. */
const LINES = 4;

/** Returns the smallest round number that is at least this, for the lines of an axis of counts. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? power;
}

interface CurveProps {
  readonly history: ReplyOf<'GET /api/usage/history'>;
  readonly onZoom: (zoom: Zoom) => void;
}

function Curve({ history: { points, from, to, unit, step }, onZoom }: CurveProps) {
  const drag = useDrag((start, end) => {
    const at = (part: number) => Math.round(from + part * (to - from));
    if (at(end) - at(start) >= SHORTEST) onZoom({ from: at(start), to: at(end) });
  });
  const say = (value: number) => (unit === 'percent' ? percent(value) : number(value));
  const values = points.map(({ value }) => value);
  const spacing = unit === 'percent' ? 25 : niceStep(Math.max(...values) / LINES);
  const top = spacing * LINES;
  const at = ({ time, value }: (typeof points)[number]) =>
    `${(((time - from) / Math.max(1, to - from)) * WIDTH).toFixed(1)},${(HEIGHT - (value / top) * HEIGHT).toFixed(1)}`;
  const isGap = (i: number) => i > 0 && (points[i]?.time ?? 0) - (points[i - 1]?.time ?? 0) > step * 3;
  const path = points.map((point, i) => `${i === 0 || isGap(i) ? 'M' : 'L'}${at(point)}`).join(' ');
  const when = (seconds: number) => dateTime(new Date(seconds * 1000));
  const shown = points.filter((_, i) => i % Math.ceil(points.length / 12) === 0);
  return (
    <figure class="curve">
      <div class="row apart small soft number">
        <span>{t('usage.most', { value: say(Math.max(...values)) })}</span>
        <span>{t('usage.mean', { value: say(values.reduce((sum, each) => sum + each, 0) / values.length) })}</span>
      </div>
      <div class="plot">
        <div class="axis small soft number" aria-hidden="true">
          {Array.from({ length: LINES + 1 }, (_, i) => (
            <span key={i}>{say(spacing * (LINES - i))}</span>
          ))}
        </div>
        <svg
          class="zoomable"
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          {...drag.handlers}
        >
          {drag.span && (
            <rect
              class="chosen"
              x={drag.span[0] * WIDTH}
              width={(drag.span[1] - drag.span[0]) * WIDTH}
              y="0"
              height={HEIGHT}
            />
          )}
          {Array.from({ length: LINES }, (_, i) => (
            <line key={i} class="rule" x1="0" x2={WIDTH} y1={(HEIGHT * i) / LINES} y2={(HEIGHT * i) / LINES} />
          ))}
          <path d={path} />
        </svg>
        <div class="axis across small soft number" aria-hidden="true">
          {[0, 1, 2].map((i) => (
            <span key={i}>{when(from + ((to - from) * i) / 2)}</span>
          ))}
        </div>
      </div>
      <details>
        <summary>{t('usage.asTable')}</summary>
        <dl class="facts">
          {shown.map(({ time, value }) => (
            <>
              <dt class="number">{when(time)}</dt>
              <dd class="number">{say(value)}</dd>
            </>
          ))}
        </dl>
      </details>
    </figure>
  );
}
