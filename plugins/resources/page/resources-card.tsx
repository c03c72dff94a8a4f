import { Answer, api, Card, Meter, t, useQuery } from '../../pages/kit/index.ts';

/** Of one processor, in which the server counts. */
const PERCENT = 100;

/** Shows what the account takes of the machine; nothing where the server does not count it. */
export default function ResourcesCard() {
  const resources = useQuery('resources', (signal) => api('GET /api/resources', { signal }));
  const isUncounted = (figure: number | null | undefined) => figure === null;
  const { data } = resources;
  if (data !== undefined && [data.memory_bytes, data.cpu_percent, data.processes].every(isUncounted)) return null;
  return (
    <Card title={t('resources.title')}>
      <Answer of={resources}>
        {({ memory_bytes: memory, cpu_percent: percent, processes, read_per_second: read, ...given }) => (
          <div class="meters">
            {memory !== null && (
              <Meter label={t('resources.memory')} used={memory} limit={given.memory_limit_bytes} isBytes />
            )}
            {percent !== null && (
              <Meter
                label={t('resources.processors')}
                used={percent / PERCENT}
                limit={given.cpu_limit_percent / PERCENT}
              />
            )}
            {processes !== null && (
              <Meter label={t('resources.processes')} used={processes} limit={given.processes_limit} />
            )}
            {read !== null && (
              <Meter label={t('resources.read')} used={read} limit={given.read_limit_per_second} isBytes />
            )}
            {given.written_per_second !== null && (
              <Meter
                label={t('resources.written')}
                used={given.written_per_second}
                limit={given.write_limit_per_second}
                isBytes
              />
            )}
            {!given.is_kept && <p class="small soft">{t('resources.notKept')}</p>}
          </div>
        )}
      </Answer>
    </Card>
  );
}
