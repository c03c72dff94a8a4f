import { Answer, api, at, Card, Meter, parseTime, t, Time, useQuery } from '../../pages/kit/index.ts';

const BLOCK_BYTES = 1024;

export default function StorageCard() {
  const usage = useQuery('quota', (signal) => api('GET /api/disk_inodes', { signal }));
  return (
    <Card title={t('quota.title')}>
      <Answer of={usage}>
        {({ disk_used: disk, disk_soft: diskLimit, inodes_used: inodes, inodes_soft: inodesLimit, date }) => (
          <div class="meters">
            <Meter label={t('quota.disk')} used={disk * BLOCK_BYTES} limit={diskLimit * BLOCK_BYTES} isBytes />
            <Meter label={t('quota.inodes')} used={inodes} limit={inodesLimit} />
            <p class="small soft">
              {t('quota.measured')} <Time at={measuredAt(date)} isRelative /> ·{' '}
              <a href={at('/files/usage')}>{t('quota.see')}</a>
            </p>
          </div>
        )}
      </Answer>
    </Card>
  );
}

/** Reads `YYYY-MM-DD-HH-MM-SS`. */
function measuredAt(date: string): Date {
  const [year = '', month = '', day = '', ...time] = date.split('-');
  return parseTime(`${year}-${month}-${day}T${time.join(':')}Z`);
}
