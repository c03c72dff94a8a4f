import {
  Answer,
  api,
  attempt,
  Button,
  bytes,
  Card,
  changed,
  dateTime,
  HEADERS,
  send,
  t,
  toast,
  useQuery,
} from '../../pages/kit/index.ts';
import { underWay } from './under-way.ts';

/** Uploads of which a part has arrived, and which this page does not send: another one did, or this one before it was closed. */
export default function IncompleteCard() {
  const listing = useQuery('uploads', (signal) => api('GET /api/uploads', { signal }));
  const uploads = listing.data?.uploads.filter(({ path }) => !underWay.value.has(path)) ?? [];
  if (listing.error === undefined && uploads.length === 0) return null;
  const discard = async (id: string, path: string) => {
    await remove(id);
    toast(t('uploads.discarded', { path }));
    changed();
  };
  return (
    <Card title={t('uploads.title')}>
      <Answer of={listing} lines={1}>
        {() => (
          <>
            <p class="soft">{t('uploads.about')}</p>
            <ul class="stack tight">
              {uploads.map(({ id, path, offset_bytes: done, size_bytes: all, expires_at: expires }) => (
                <li key={id} class="row">
                  <span class="wrap">{path}</span>
                  <span class="small soft number">
                    {t('uploads.sent', { done: bytes(done), all: bytes(all), time: dateTime(new Date(expires)) })}
                  </span>
                  <Button
                    isSmall
                    label={t('uploads.discardNamed', { path })}
                    onClick={() => attempt(() => discard(id, path))}
                  >
                    {t('uploads.discard')}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Answer>
    </Card>
  );
}

async function remove(id: string): Promise<void> {
  const headers = { ...HEADERS, 'Tus-Resumable': '1.0.0' };
  await send(`/api/uploads/${encodeURIComponent(id)}`, { method: 'DELETE', headers });
}
