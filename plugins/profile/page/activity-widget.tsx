import { Answer, api, at, Card, t, useQuery } from '../../pages/kit/index.ts';
import { ActivityLine } from './activity-line.tsx';

const SHOWN = 5;

export default function ActivityWidget() {
  const page = useQuery('activity', (signal) => api('GET /api/account/activity', { signal }));
  return (
    <Card title={t('profile.lastActivity')} end={<a href={at('/account/activity')}>{t('profile.allActivity')}</a>}>
      <Answer of={page} lines={SHOWN}>
        {({ log_content: lines }) => (
          <ul class="log narrow">
            {lines.slice(0, SHOWN).map((line, i) => (
              <ActivityLine key={i} line={line} />
            ))}
          </ul>
        )}
      </Answer>
    </Card>
  );
}
