import {
  Answer,
  api,
  Badge,
  Button,
  Card,
  ofNode,
  t,
  TabbedHead,
  Table,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { Remedied } from './remedied.tsx';

type Plugin = ReplyOf<'GET /api/plugins'>['plugins'][number];
const TONES = { ready: 'good', degraded: 'warn', unavailable: 'bad', off: undefined } as const;

export default function PluginsPage() {
  const plugins = useQuery('plugins', (signal) => api('GET /api/plugins', { query: ofNode(), signal }));
  const columns: readonly Column<Plugin>[] = [
    { name: 'name', title: t('operations.name'), by: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
    {
      name: 'state',
      title: t('operations.state'),
      by: ({ state }) => state,
      cell: ({ state }) => <Badge tone={TONES[state]}>{t(`operations.plugin.${state}`)}</Badge>,
    },
    {
      name: 'reason',
      title: t('operations.reason'),
      cell: ({ reason, remedy }) => reason !== null && <Remedied text={reason} remedy={remedy} />,
    },
    {
      name: 'features',
      title: t('operations.features'),
      isEnd: true,
      by: ({ features }) => features.length,
      cell: ({ features }) => features.length,
    },
  ];
  return (
    <>
      <TabbedHead of="/plugins">
        <Button icon="refresh" isBusy={plugins.isLoading} onClick={plugins.reload}>
          {t('operations.checkAgain')}
        </Button>
      </TabbedHead>
      <Card isFlush>
        <Answer of={plugins} lines={10}>
          {({ plugins: rows }) => (
            <Table
              caption={t('operations.plugins')}
              columns={columns}
              rows={rows}
              keyOf={({ name }) => name}
              sortedBy="name"
            />
          )}
        </Answer>
      </Card>
    </>
  );
}
