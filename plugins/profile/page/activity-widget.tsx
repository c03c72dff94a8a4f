import { Answer, api, at, Card, t, useQuery } from '../../pages/kit/index.ts';
import { ActivityLine } from './activity-line.tsx';

const SHOWN = 5;

export default function ActivityWidget() {
  const page = useQuery('activity', (signal) => api('GET /api/account/events', { query: { limit: SHOWN }, signal }));
  return (
    <Card title={t('profile.lastActivity')} end={<a href={at('/account/activity')}>{t('profile.allActivity')}</a>}>
      <Answer of={page} lines={SHOWN}>
        {({ events }) => (
          <ul class="log narrow">
            {events.map((event) => (
              <ActivityLine key={event.id} event={event} />
            ))}
          </ul>
        )}
      </Answer>
    </Card>
  );
}
