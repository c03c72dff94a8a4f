import { api, at, Icon, Panel, t, useQuery } from '../../pages/kit/index.ts';

/** Recommends the second factor to whoever has none. */
export default function TwofaBanner() {
  const { data } = useQuery('twofa', (signal) => api('GET /api/account/2fa', { signal }));
  if (data === undefined || data.enabled) return null;
  return (
    <Panel kind="warn" icon="shield" title={t('account.banner')}>
      <p>{t('account.bannerAbout')}</p>
      <a class="button small" href={at('/account')}>
        <Icon name="shield" /> {t('account.twofaTurnOn')}
      </a>
    </Panel>
  );
}
