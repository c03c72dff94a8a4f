import {
  Answer,
  api,
  Badge,
  Button,
  Card,
  CopyButton,
  PageHead,
  t,
  Table,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Plugin = ReplyOf<'GET /api/plugins'>['plugins'][number];
const TONES = { ready: 'good', degraded: 'warn', unavailable: 'bad', off: undefined } as const;

export default function PluginsPage() {
  const plugins = useQuery('plugins', (signal) => api('GET /api/plugins', { signal }));
  const columns: readonly Column<Plugin>[] = [
    { name: 'name', title: t('control.name'), by: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
    {
      name: 'state',
      title: t('control.state'),
      by: ({ state }) => state,
      cell: ({ state }) => <Badge tone={TONES[state]}>{t(`control.plugin.${state}`)}</Badge>,
    },
    {
      name: 'reason',
      title: t('control.reason'),
      cell: ({ reason, remedy }) => (
        <span class="stack tight">
          <span class="wrap">{reason ?? '–'}</span>
          {remedy !== null && (
            <span class="row nowrap">
              <code class="wrap">{remedy}</code>
              <CopyButton text={remedy} what={t('control.remedy')} />
            </span>
          )}
        </span>
      ),
    },
    {
      name: 'features',
      title: t('control.features'),
      isEnd: true,
      by: ({ features }) => features.length,
      cell: ({ features }) => features.length,
    },
  ];
  return (
    <>
      <PageHead title={t('control.plugins')} about={t('control.pluginsAbout')}>
        <Button icon="refresh" isBusy={plugins.isLoading} onClick={plugins.reload}>
          {t('control.checkAgain')}
        </Button>
      </PageHead>
      <Card isFlush>
        <Answer of={plugins} lines={10}>
          {({ plugins: rows }) => (
            <Table
              caption={t('control.plugins')}
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
