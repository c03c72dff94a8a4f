import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Answer, api, Card, Empty, Paging, SearchInput, t, TabbedHead, useQuery } from '../../pages/kit/index.ts';
import { ActivityLine } from './activity-line.tsx';

/** How long typing rests before the server searches. */
const REST_MS = 250;

export default function ActivityPage() {
  const typed = useSignal('');
  const asked = useSignal({ search: '', page: 1 });
  useEffect(() => {
    const search = typed.value.trim();
    if (search === asked.value.search) return;
    const timer = setTimeout(() => (asked.value = { search, page: 1 }), REST_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const { search, page } = asked.value;
  const log = useQuery(`activity ${page} ${search}`, (signal) =>
    api('GET /api/account/activity', { query: { search, page }, signal }),
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
          {({ log_content: lines, total_lines: total, total_pages: pages, current_page: current }) =>
            lines.length === 0 ? (
              <Empty icon="clock" title={t(search === '' ? 'profile.noActivity' : 'pages.nothingFound')} />
            ) : (
              <>
                <ul class="log">
                  {lines.map((line, i) => (
                    <ActivityLine key={`${current} ${i}`} line={line} />
                  ))}
                </ul>
                {pages > 1 && (
                  <Paging
                    page={current - 1}
                    last={pages - 1}
                    total={total}
                    onChange={(next) => (asked.value = { search, page: next + 1 })}
                  />
                )}
              </>
            )
          }
        </Answer>
      </Card>
    </>
  );
}
