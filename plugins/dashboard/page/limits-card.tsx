import { Answer, Card, Meter, Panel, t } from '../../pages/kit/index.ts';
import { useDashboard, type Dashboard } from './dashboard-query.ts';

/** Returns the counted resources, each with the feature without which it is not part of the plan. */
function rowsOf(data: Dashboard) {
  const has = (feature: string) => data.user_features.includes(feature);
  return [
    { name: t('dashboard.domains'), used: data.maindomains.length, limit: data.domains_limit, isShown: has('domains') },
    {
      name: t('dashboard.websites'),
      used: data.user_websites.length,
      limit: data.websites_limit,
      isShown: has('websites'),
    },
    {
      name: t('dashboard.databases'),
      used: data.db_usage,
      limit: data.db_limit,
      isShown: has('mysql') || has('postgresql'),
    },
    { name: t('dashboard.mailboxes'), used: data.email_count, limit: data.email_limit, isShown: has('emails') },
    { name: t('dashboard.ftp'), used: data.ftp_count, limit: data.ftp_limit, isShown: has('ftp') },
  ].filter(({ isShown }) => isShown);
}

export default function LimitsCard() {
  const dashboard = useDashboard();
  return (
    <Card title={t('dashboard.limits')}>
      <Answer of={dashboard} lines={4}>
        {(data) => (
          <>
            {data.stale.length > 0 && <Panel kind="warn" icon="warn" title={t('dashboard.stale')} />}
            <div class="meters">
              {rowsOf(data).map(({ name, used, limit }) => (
                <Meter key={name} label={name} used={used} limit={limit} />
              ))}
            </div>
          </>
        )}
      </Answer>
    </Card>
  );
}
