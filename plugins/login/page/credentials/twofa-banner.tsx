import { api, at, Icon, Panel, Skeleton, t, useQuery } from '../../../pages/kit/index.ts';

/** Recommends the second factor to whoever has none. */
export default function TwofaBanner() {
  const { data, error } = useQuery('twofa', (signal) => api('GET /api/account/2fa', { signal }));
  if (data === undefined && error === undefined) return <Skeleton />;
  if (data === undefined || data.enabled) return null;
  return (
    <Panel kind="warn" icon="shield" title={t('login.banner')}>
      <p>{t('login.bannerAbout')}</p>
      <a class="button small" href={at('/account')}>
        <Icon name="shield" /> {t('login.twofaTurnOn')}
      </a>
    </Panel>
  );
}
