import { Answer, api, at, Card, Empty, t, useQuery } from '../../pages/kit/index.ts';
import { SiteCard } from './site-card.tsx';

/** As many as the overview has room for. */
const SHOWN = 6;

export default function SitesWidget() {
  const reply = useQuery('sites', (signal) => api('GET /api/auto-installer', { signal }));
  return (
    <Answer of={reply} lines={4}>
      {({ sites, technologies }) =>
        sites.length === 0 ? (
          <Card>
            <Empty icon="window" title={t('websites.none')}>
              {t('websites.noneAbout')}
            </Empty>
          </Card>
        ) : (
          <section class="stack" aria-label={t('websites.title')}>
            <div class="sites">
              {sites.slice(0, SHOWN).map((site) => (
                <SiteCard
                  key={site.site}
                  site={site}
                  technology={technologies.find(({ name }) => name === site.type)}
                />
              ))}
            </div>
            {sites.length > SHOWN && <a href={at('/sites')}>{t('websites.all', { n: sites.length })}</a>}
          </section>
        )
      }
    </Answer>
  );
}
