import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Answer, api, Card, CursorPaging, Empty, SearchInput, t, TabbedHead, useQuery } from '../../pages/kit/index.ts';
import { ActivityLine } from './activity-line.tsx';

/** How long typing rests before the server searches. */
const REST_MS = 250;

export default function ActivityPage() {
  const typed = useSignal('');
  const asked = useSignal('');
  const cursors = useSignal<readonly string[]>(['']);
  useEffect(() => {
    const search = typed.value.trim();
    if (search === asked.value) return;
    const timer = setTimeout(() => {
      asked.value = search;
      cursors.value = [''];
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const [search, cursor] = [asked.value, cursors.value.at(-1) ?? ''];
  const log = useQuery(`activity ${cursor} ${search}`, (signal) =>
    api('GET /api/account/events', { query: { search, cursor }, signal }),
  );
  return (
    <>
      <TabbedHead of="/account" />
      <Card isFlush>
        <div class="card-head">
          <SearchInput
            label={t('profile.searchActivity')}
            value={typed.value}
            onChange={(text) => (typed.value = text)}
          />
        </div>
        <Answer of={log} lines={8}>
          {({ events, next_cursor: next }) =>
            events.length === 0 ? (
              <Empty icon="clock" title={t(search === '' ? 'profile.noActivity' : 'pages.nothingFound')} />
            ) : (
              <>
                <ul class="log">
                  {events.map((event) => (
                    <ActivityLine key={event.id} event={event} />
                  ))}
                </ul>
                <CursorPaging cursors={cursors} next={next} />
              </>
            )
          }
        </Answer>
      </Card>
    </>
  );
}
