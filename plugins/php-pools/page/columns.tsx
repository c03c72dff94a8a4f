import {
  actionsColumn,
  at,
  Badge,
  Bar,
  bytes,
  DomainName,
  IconButton,
  number,
  t,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

export type Pool = ReplyOf<'GET /api/php-pools'>['pools'][number];
type State = 'failed' | 'busy' | 'running' | 'asleep' | 'ending' | 'missing';

/** The orders in which the server lists pools, by the names of columns. */
export const ORDERS = ['memory', 'requests', 'name'] as const;

const TONES = { failed: 'bad', missing: 'warn', busy: 'warn', running: 'good' } as const;
const SHOWN_DOMAINS = 3;

/** A column by which the server sorts. */
const sorted = (name: (typeof ORDERS)[number], title: string, cell: Column<Pool>['cell']): Column<Pool> => ({
  ...{ name, title, cell, isMostFirst: name !== 'name' },
  by: () => 0,
});

export const columns = (restart: (pool: Pool) => void): readonly Column<Pool>[] => [
  sorted('name', t('php-pools.account'), Account),
  { name: 'state', title: t('php-pools.state'), cell: StateCell },
  { name: 'processes', title: t('php-pools.atWork'), cell: Processes },
  sorted('memory', t('php-pools.memory'), ({ memory_bytes: memory }) => (
    <span class="number">{memory === 0 ? '–' : bytes(memory)}</span>
  )),
  sorted('requests', t('php-pools.perMinute'), Requests),
  actionsColumn(
    (pool) =>
      (pool.state === 'running' || pool.state === 'busy') && (
        <IconButton
          icon="refresh"
          label={t('php-pools.restartOne', { version: pool.version, name: pool.username })}
          onClick={() => restart(pool)}
        />
      ),
  ),
];

function Account({ username, domains, domain_count: count }: Pool) {
  const shown = domains.slice(0, SHOWN_DOMAINS);
  return (
    <span class="stack tight">
      <a class="wrap" href={at(`/accounts/${encodeURIComponent(username)}`)}>
        {username}
      </a>
      <span class="small soft">
        {shown.map((name, i) => (
          <span key={name}>
            {i > 0 && ', '}
            <DomainName name={name} />
          </span>
        ))}
        {count > shown.length && ` ${t('php-pools.more', { n: count - shown.length })}`}
      </span>
    </span>
  );
}

function StateCell({ state, version, problem }: Pool) {
  const tone = TONES[state as keyof typeof TONES];
  return (
    <span class="stack tight">
      <span>
        <Badge tone={tone}>{t(`php-pools.is.${state as State}`)}</Badge>
      </span>
      <span class="small soft">PHP {version}</span>
      {problem !== null && <span class="small soft wrap">{problem}</span>}
    </span>
  );
}

/** How many processes run scripts, of how many that there may be. */
function Processes({ processes, active, most_processes: most, limit_reached: reached }: Pool) {
  if (processes === 0) return <span class="soft">–</span>;
  return (
    <span class="stack tight">
      <span class="number">
        {active === null ? '?' : number(active)} {most > 0 && `/ ${number(most)}`}
      </span>
      {most > 0 && active !== null && <Bar label={t('php-pools.atWork')} part={(active / most) * 100} />}
      <span class="small soft">
        {t('php-pools.processes', { n: processes })}
        {reached !== null && reached > 0 && ` · ${t('php-pools.reached', { n: reached })}`}
      </span>
    </span>
  );
}

function Requests({ requests, requests_per_minute: rate }: Pool) {
  if (requests === null || rate === null) return <span class="soft">–</span>;
  return (
    <span class="stack tight">
      <span class="number">{number(rate, 1)}</span>
      <span class="small soft">{t('php-pools.inAll', { n: requests })}</span>
    </span>
  );
}
