import { Answer, api, Card, PageHead, Panel, t, useQuery, useRefresh } from '../../pages/kit/index.ts';
import { Alone } from './alone.tsx';
import { NodesTable } from './nodes-table.tsx';
import { keepSamples, type Node } from './samples.ts';

/** As often as heartbeats come. */
const REFRESH_MS = 5000;

/** The nodes of the fleet: how they do, how full they are, and which of them take new accounts. */
export default function FleetPage() {
  const fleet = useQuery('fleet', async (signal) => {
    const answer = await api('GET /api/fleet', { signal });
    keepSamples(answer.nodes);
    return answer;
  });
  useRefresh(fleet, REFRESH_MS);
  return (
    <>
      <PageHead title={t('fleet.title')} about={t('fleet.about')} />
      <Answer of={fleet} lines={8}>
        {({ node, nodes }) =>
          node === null ? (
            <Card>
              <Alone />
            </Card>
          ) : (
            <div class="stack">
              <Silent nodes={nodes} />
              <Card isFlush>
                <NodesTable nodes={nodes} own={node} />
                <p class="table-foot small soft">{t('fleet.curves')}</p>
              </Card>
            </div>
          )
        }
      </Answer>
    </>
  );
}

/** Says which nodes are down, and what that means for whom. */
function Silent({ nodes }: { readonly nodes: readonly Node[] }) {
  const down = nodes.filter(({ state }) => state === 'down').map(({ name }) => name);
  if (down.length === 0) return null;
  return (
    <Panel kind="warn" icon="warn" title={t('fleet.areDown', { n: down.length, names: down.join(', ') })} isAlert>
      <p>{t('fleet.downAbout')}</p>
    </Panel>
  );
}
