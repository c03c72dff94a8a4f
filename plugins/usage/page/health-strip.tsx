import {
  ask,
  at,
  Badge,
  ErrorPanel,
  number,
  ofNode,
  ownNode,
  fillPath,
  send,
  shownNode,
  Skeleton,
  t,
  useQuery,
  useRefresh,
} from '../../pages/kit/index.ts';
import { readMetrics, type Samples } from './metrics-text.ts';

const REFRESH_MS = 10_000;
const DAY_SECONDS = 86_400;
/** A certificate that ends sooner is said in colour. */
const RENEW_DAYS = 14;
/** An event loop that is late by more makes every request late. */
const LATE_SECONDS = 0.1;
/** The plugins whose state stands for something outside, and how that is called. */
const OUTSIDE = { containers: 'usage.engine', databases: 'usage.databases', webserver: 'usage.webserver' } as const;

type Tone = 'good' | 'warn' | 'bad' | undefined;
interface Plugin {
  readonly name: string;
  readonly state: string;
}
interface Fact {
  readonly title: string;
  readonly text: string;
  readonly tone?: Tone;
  readonly link?: string;
}

/**
 * Whether all is well, in a line, from the figures that Prometheus gets too; nothing where the plugin of metrics is off. Those of
 * another node are for who scrapes it; of it, only the state of its plugins is shown.
 */
export function HealthStrip() {
  const metrics = useQuery('metrics', (signal) => (shownNode() === ownNode() ? ownFigures(signal) : pluginsOf()));
  useRefresh(metrics, REFRESH_MS);
  const { data, error, reload } = metrics;
  if (data === undefined) {
    if (error === undefined) return <Skeleton lines={2} />;
    return error.code === 'not_found' ? null : <ErrorPanel error={error} onRetry={reload} />;
  }
  return (
    <section class="card" aria-label={t('usage.health')}>
      <dl class="health">
        {factsOf(data).map(({ title, text, tone, link }) => (
          <div key={title}>
            <dt class="small soft">{link === undefined ? title : <a href={at(link)}>{title}</a>}</dt>
            <dd>{tone === undefined ? <span class="number">{text}</span> : <Badge tone={tone}>{text}</Badge>}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

async function ownFigures(signal: AbortSignal): Promise<Samples> {
  const response = await send('/metrics', { signal, headers: { 'Hostkeep-Page': '1', Accept: 'text/plain' } });
  return readMetrics(await response.text());
}

async function pluginsOf(): Promise<Samples> {
  const { plugins } = await ask<{ plugins: readonly Plugin[] }>('GET', fillPath('/api/plugins', {}, ofNode()));
  const on = plugins.filter(({ state }) => state !== 'off');
  return new Map([
    [
      'hostkeep_plugin_up',
      on.map(({ name, state }) => ({ labels: { plugin: name }, value: Number(state === 'ready') })),
    ],
  ]);
}

function factsOf(samples: Samples): Fact[] {
  const up = samples.get('hostkeep_plugin_up') ?? [];
  const lacking = up.filter(({ value }) => value === 0).map(({ labels }) => labels['plugin'] ?? '');
  const outside = Object.entries(OUTSIDE).flatMap(([plugin, title]): Fact[] => {
    const state = up.find(({ labels }) => labels['plugin'] === plugin);
    if (state === undefined) return [];
    const isUp = state.value === 1;
    return [{ title: t(title), text: t(isUp ? 'usage.works' : 'usage.fails'), tone: isUp ? 'good' : 'warn' }];
  });
  const first = (name: string) => samples.get(name)?.[0];
  const waiting = samples.get('hostkeep_webhook_waiting') ?? [];
  const started = first('process_start_time_seconds')?.value;
  const version = first('hostkeep_build_info')?.labels['version'];
  const expiry = first('hostkeep_certificate_expiry_timestamp_seconds')?.value;
  const late = lateness(samples);
  return [
    lacking.length === 0
      ? { title: t('usage.plugins'), text: t('usage.allReady', { n: up.length }), tone: 'good' }
      : { title: t('usage.plugins'), text: t('usage.notReady', { n: lacking.length }), tone: 'warn', link: '/plugins' },
    ...outside,
    ...(waiting.length === 0 ? [] : [waitingFact(waiting.reduce((sum, { value }) => sum + value, 0))]),
    ...(late === undefined
      ? []
      : [
          {
            title: t('usage.loop'),
            text: `≤ ${number(late * 1000)} ms`,
            tone: late > LATE_SECONDS ? 'warn' : 'good',
          } as const,
        ]),
    ...(started === undefined ? [] : [{ title: t('usage.uptime'), text: uptimeText(Date.now() / 1000 - started) }]),
    ...(expiry === undefined ? [] : [certificateFact(expiry - Date.now() / 1000)]),
    ...(version === undefined ? [] : [{ title: t('usage.version'), text: version }]),
  ];
}

function waitingFact(n: number): Fact {
  return {
    title: t('usage.webhooks'),
    text: t('usage.waiting', { n }),
    tone: n > 100 ? 'warn' : 'good',
    link: '/webhooks',
  };
}

function certificateFact(leftSeconds: number): Fact {
  const n = Math.floor(leftSeconds / DAY_SECONDS);
  return {
    title: t('usage.certificate'),
    text: t('usage.daysLeft', { n }),
    tone: n < 1 ? 'bad' : n < RENEW_DAYS ? 'warn' : 'good',
  };
}

/** Returns the delay that 99 of 100 turns of the event loop keep within; `undefined` if it is not known. */
function lateness(samples: Samples): number | undefined {
  const buckets = samples.get('hostkeep_event_loop_delay_seconds_bucket') ?? [];
  const all = buckets.at(-1)?.value ?? 0;
  const bucket = buckets.find(({ value }) => all > 0 && value >= all * 0.99);
  const bound = Number(bucket?.labels['le']);
  return Number.isFinite(bound) ? bound : undefined;
}

function uptimeText(seconds: number): string {
  const [days, hours, minutes] = [seconds / DAY_SECONDS, seconds / 3600, seconds / 60].map(Math.floor);
  if ((days ?? 0) > 0) return t('usage.days', { n: days ?? 0 });
  return (hours ?? 0) > 0 ? t('usage.hours', { n: hours ?? 0 }) : t('usage.minutes', { n: Math.max(0, minutes ?? 0) });
}
