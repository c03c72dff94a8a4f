import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  Card,
  Choices,
  Empty,
  ofNode,
  SearchInput,
  t,
  TabbedHead,
  Table,
  useQuery,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Setting = ReplyOf<'GET /api/settings'>['settings'][number];

/** All settings in effect, and which file or variable set each. */
export default function SettingsPage() {
  const search = useSignal('');
  const which = useSignal<'all' | 'own'>('all');
  const settings = useQuery('settings', (signal) => api('GET /api/settings', { query: ofNode(), signal }));
  const wanted = search.value.trim().toLowerCase();
  const columns: readonly Column<Setting>[] = [
    {
      name: 'setting',
      title: t('operations.setting'),
      by: ({ setting }) => setting,
      cell: ({ setting }) => <code class="wrap">{setting}</code>,
    },
    {
      name: 'value',
      title: t('operations.value'),
      cell: ({ value }) => <span class="wrap">{typeof value === 'string' ? value || '–' : JSON.stringify(value)}</span>,
    },
    {
      name: 'origin',
      title: t('operations.setBy'),
      by: ({ origin }) => origin,
      cell: ({ origin }) =>
        origin === 'default' ? (
          <span class="soft">{t('operations.isDefault')}</span>
        ) : (
          <span class="wrap">
            <Badge tone="accent">{origin}</Badge>
          </span>
        ),
    },
  ];
  return (
    <>
      <TabbedHead of="/plugins" />
      <Card isFlush>
        <div class="card-head">
          <SearchInput
            label={t('operations.searchSettings')}
            value={search.value}
            onChange={(text) => (search.value = text)}
          />
          <Choices
            label={t('operations.setBy')}
            value={which.value}
            of={[
              ['all', t('operations.filter.all')],
              ['own', t('operations.changedOnly')],
            ]}
            onChange={(next) => (which.value = next)}
          />
        </div>
        <Answer of={settings} lines={10}>
          {({ settings: all }) => {
            const rows = all.filter(
              ({ setting, value, origin }) =>
                (which.value === 'all' || origin !== 'default') &&
                `${setting} ${JSON.stringify(value)}`.toLowerCase().includes(wanted),
            );
            return rows.length === 0 ? (
              <Empty icon="search" title={t('pages.nothingFound')} />
            ) : (
              <Table
                caption={t('operations.settings')}
                columns={columns}
                rows={rows}
                keyOf={({ setting }) => setting}
                sortedBy="setting"
              />
            );
          }}
        </Answer>
      </Card>
    </>
  );
}
