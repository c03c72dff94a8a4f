import { api, ApiError, Card, ErrorPanel, t, Time, useQuery } from '../../pages/kit/index.ts';

/** Says how old the copy of the account's backups is; nothing before there is one, or where the plugin is off. */
export default function CopyPart() {
  const { data, error, reload } = useQuery('backup-copy', (signal) => api('GET /api/backup-copy', { signal }));
  if (error !== undefined && !(error instanceof ApiError && error.status === 404))
    return <ErrorPanel error={error} onRetry={reload} />;
  if (data === undefined || data.copied_at === null || data.newest_at === null) return null;
  return (
    <Card title={t('backup-copies.own')}>
      <div class="stack tight">
        <p>
          {t('backup-copies.ownCopied', { n: data.backups })} <Time at={data.copied_at} />
        </p>
        <p class="small soft">
          {t('backup-copies.ownNewest')} <Time at={data.newest_at} />
        </p>
      </div>
    </Card>
  );
}
