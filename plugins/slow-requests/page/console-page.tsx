import { api, ofNode, PageHead, t, useQuery } from '../../pages/kit/index.ts';
import { SlowPaths, useChoice } from './slow-paths.tsx';

/** Where the sites of all accounts of a node answered slowly. */
export default function ConsolePage() {
  const choice = useChoice();
  const slow = useQuery(`slow-requests ${JSON.stringify(choice.query)}`, (signal) =>
    api('GET /api/slow-requests', { query: { ...choice.query, ...ofNode() }, signal }),
  );
  return (
    <>
      <PageHead title={t('slow-requests.title')} about={t('slow-requests.aboutNode')} />
      <SlowPaths of={slow} choice={choice} />
    </>
  );
}
