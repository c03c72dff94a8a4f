import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  Card,
  Empty,
  PageHead,
  Paging,
  SearchInput,
  t,
  textOr,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { SiteCard } from './site-card.tsx';

type Reply = ReplyOf<'GET /api/auto-installer'>;

/** Cards, each with a picture, that a page holds. */
const PAGE_SITES = 12;

export default function WebsitesPage() {
  const reply = useQuery('sites', (signal) => api('GET /api/auto-installer', { signal }));
  return (
    <>
      <PageHead title={t('websites.title')} about={t('websites.about')} />
      <Answer of={reply} lines={6}>
        {(data) => (
          <div class="stack">
            <Sites {...data} />
            <Catalogue {...data} />
          </div>
        )}
      </Answer>
    </>
  );
}

function Sites({ sites, technologies }: Reply) {
  const search = useSignal('');
  const page = useSignal(0);
  const found = sites.filter(({ site, type }) => `${site} ${type}`.includes(search.value.trim().toLowerCase()));
  const last = Math.max(0, Math.ceil(found.length / PAGE_SITES) - 1);
  const current = Math.min(page.value, last);
  if (sites.length === 0)
    return (
      <Card>
        <Empty icon="window" title={t('websites.none')}>
          {t('websites.noneAbout')}
        </Empty>
      </Card>
    );
  return (
    <>
      <div class="row apart">
        <SearchInput label={t('websites.search')} value={search.value} onChange={(text) => (search.value = text)} />
        <span class="small soft">{t('websites.count', { n: found.length })}</span>
      </div>
      <div class="sites">
        {found.slice(current * PAGE_SITES, (current + 1) * PAGE_SITES).map((site) => (
          <SiteCard key={site.site} site={site} technology={technologies.find(({ name }) => name === site.type)} />
        ))}
      </div>
      {found.length === 0 && <Empty icon="search" title={t('pages.nothingFound')} />}
      {last > 0 && <Paging page={current} last={last} total={found.length} onChange={(next) => (page.value = next)} />}
    </>
  );
}

/** Applications that are recognised in the folders of sites, by category. */
function Catalogue({ technologies, counts }: Reply) {
  const categories = [...new Set(technologies.map(({ category }) => category))];
  return (
    <Card title={t('websites.catalogue')}>
      <p class="soft">{t('websites.catalogueAbout')}</p>
      <div class="grid catalogue">
        {categories.map((category) => (
          <section key={category} aria-label={textOr(`websites.category.${category}`, category)}>
            <h3>{textOr(`websites.category.${category}`, category)}</h3>
            <ul class="stack tight">
              {technologies
                .filter((each) => each.category === category)
                .map(({ name, title, description }) => (
                  <li key={name}>
                    <span class="row">
                      <span>{title}</span>
                      {(counts[name] ?? 0) > 0 && (
                        <Badge tone="accent">{t('websites.count', { n: counts[name] ?? 0 })}</Badge>
                      )}
                    </span>
                    <span class="small soft">{textOr(`websites.about.${name}`, description)}</span>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </Card>
  );
}
