import {
  Answer,
  api,
  ask,
  at,
  Card,
  Empty,
  fillPath,
  Meter,
  Panel,
  t,
  textOr,
  Time,
  useQuery,
} from '../../../pages/kit/index.ts';

/** Units in which resources are counted, by the end of their names. */
const UNIT_BYTES: Readonly<Record<string, number>> = { kib: 2 ** 10, mib: 2 ** 20 };

/** Shows the usage of an account beside the limits of its plan. */
export function AccountUsage({ username }: { readonly username: string }) {
  const report = useQuery(`usage ${username}`, (signal) =>
    api('GET /api/accounts/:username/usage', { params: { username }, signal }),
  );
  return (
    <Card title={t('accounts.usage')}>
      <Answer of={report} lines={4}>
        {({ usage, problems }) => (
          <div class="meters">
            {usage.map(({ resource, used, limit }) => {
              const factor = UNIT_BYTES[resource.split('_').at(-1) ?? ''] ?? 1;
              return (
                <Meter
                  key={resource}
                  label={textOr(`accounts.resource.${resource}`, resource)}
                  used={used * factor}
                  limit={limit * factor}
                  isBytes={factor > 1}
                />
              );
            })}
            {problems.map((problem) => (
              <Panel key={problem} kind="warn" icon="warn" title={t('accounts.usageUnknown')}>
                <p class="wrap small">{problem}</p>
              </Panel>
            ))}
          </div>
        )}
      </Answer>
    </Card>
  );
}

/** Events that are shown before the rest is asked for. */
const FIRST = 8;

interface Activity {
  readonly events: readonly {
    readonly id: number;
    readonly at: string;
    readonly ip: string;
    readonly summary: string;
  }[];
}

export function AccountActivity({ username }: { readonly username: string }) {
  const log = useQuery(`activity ${username}`, () =>
    ask<Activity>('GET', fillPath('/api/events', {}, { account: username, limit: FIRST })),
  );
  if (log.error?.code === 'not_found') return null;
  return (
    <Card
      title={t('accounts.activity')}
      end={
        <a class="button small" href={`${at('/events')}#${new URLSearchParams([['account', username]])}`}>
          {t('accounts.allEvents')}
        </a>
      }
    >
      <Answer of={log} lines={5}>
        {({ events }) =>
          events.length === 0 ? (
            <Empty icon="clock" title={t('pages.nothingFound')} />
          ) : (
            <ul class="log narrow">
              {events.map(({ id, at: time, ip, summary }) => (
                <li key={id}>
                  <span class="small soft number">
                    <Time at={time} />
                  </span>
                  <span class="wrap">{summary}</span>
                  <span class="small soft number wrap">{ip}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}
