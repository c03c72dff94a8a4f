import { Answer, api, at, Icon, Panel, t, useQuery } from '../../../pages/kit/index.ts';

/** Recommends the second factor to whoever has none. */
export default function TwofaBanner() {
  const state = useQuery('twofa', (signal) => api('GET /api/account/2fa', { signal }));
  return <Answer of={state}>{({ enabled }) => !enabled && <Recommendation />}</Answer>;
}

function Recommendation() {
  return (
    <Panel kind="warn" icon="shield" title={t('login.banner')}>
      <p>{t('login.bannerAbout')}</p>
      <a class="button small" href={at('/account')}>
        <Icon name="shield" /> {t('login.twofaTurnOn')}
      </a>
    </Panel>
  );
}
