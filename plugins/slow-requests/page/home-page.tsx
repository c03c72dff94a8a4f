import { Answer, api, PageHead, Select, t, toUnicode, useDomainNames, useQuery } from '../../pages/kit/index.ts';
import { SlowPaths, useChoice } from './slow-paths.tsx';

/** Where the sites of the account answered slowly. */
export default function HomePage() {
  const choice = useChoice();
  const domains = useDomainNames();
  const { domain, query } = choice;
  const slow = useQuery(`slow-requests ${domain} ${JSON.stringify(query)}`, (signal) =>
    api('GET /api/slow-requests', { query: { ...query, ...(domain !== '' && { domain_url: domain }) }, signal }),
  );
  return (
    <>
      <PageHead title={t('slow-requests.title')} about={t('slow-requests.about')} />
      <Answer of={domains} lines={8}>
        {(names) => (
          <SlowPaths of={slow} choice={choice} isCounted={slow.data?.counted !== false}>
            <Select
              label={t('pages.domain')}
              isLabelHidden
              value={domain}
              of={[['', t('slow-requests.allDomains')], ...names.map((name) => [name, toUnicode(name)] as const)]}
              onChange={(next) => choice.set({ domain: next })}
            />
          </SlowPaths>
        )}
      </Answer>
    </>
  );
}
