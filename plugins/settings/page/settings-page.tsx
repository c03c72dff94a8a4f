import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  Badge,
  Button,
  Card,
  Choices,
  Empty,
  ofNode,
  PageHead,
  SearchInput,
  Select,
  t,
  Table,
  Time,
  useQuery,
  type Column,
} from '../../pages/kit/index.ts';
import { ResetDialog, schemaIn, SettingDialog, shown, type Setting } from './setting-dialog.tsx';

type Asked = { readonly kind: 'edit' | 'reset'; readonly setting: Setting } | undefined;

/** The part of the server to which a setting belongs; empty for what belongs to all. */
const areaOf = (name: string): string => (name.includes('.') ? name.slice(0, name.indexOf('.')) : '');

/** All settings in effect by area, and what set each; those that the configuration names can be changed. */
export default function SettingsPage() {
  const search = useSignal('');
  const area = useSignal('*');
  const which = useSignal<'all' | 'own' | 'editable'>('all');
  const asked = useSignal<Asked>(undefined);
  const settings = useQuery('settings', (signal) => api('GET /api/settings', { query: ofNode(), signal }));
  const wanted = search.value.trim().toLowerCase();
  const isShown = (setting: Setting) =>
    (area.value === '*' || areaOf(setting.setting) === area.value) &&
    (which.value === 'all' || (which.value === 'own' ? setting.origin !== 'default' : setting.editable)) &&
    `${setting.setting} ${shown(setting.value)} ${schemaIn(setting).description ?? ''}`.toLowerCase().includes(wanted);
  const all = settings.data?.settings ?? [];
  const areas = [...new Set(all.map(({ setting }) => areaOf(setting)))].toSorted();
  const close = () => void (asked.value = undefined);
  return (
    <>
      <PageHead title={t('settings.title')} about={t('settings.about')} />
      <Card isFlush>
        <div class="card-head">
          <SearchInput label={t('settings.search')} value={search.value} onChange={(text) => (search.value = text)} />
          <Select
            label={t('settings.area')}
            isLabelHidden
            value={area.value}
            of={[['*', t('settings.allAreas')], ...areas.map((each) => [each, each || t('settings.server')] as const)]}
            onChange={(next) => (area.value = next)}
          />
          <Choices
            label={t('settings.which')}
            value={which.value}
            of={[
              ['all', t('settings.all')],
              ['own', t('settings.setOnly')],
              ['editable', t('settings.editableOnly')],
            ]}
            onChange={(next) => (which.value = next)}
          />
        </div>
        <Answer of={settings} lines={10}>
          {() => {
            const rows = all.filter(isShown);
            if (rows.length > 0)
              return (
                <Table
                  caption={t('settings.title')}
                  columns={columns((next) => (asked.value = next))}
                  rows={rows}
                  keyOf={({ setting }) => setting}
                  sortedBy="setting"
                />
              );
            return which.value === 'editable' && wanted === '' ? (
              <Empty icon="sliders" title={t('settings.noneEditable')}>
                {t('settings.noneEditableAbout')}
              </Empty>
            ) : (
              <Empty icon="search" title={t('pages.nothingFound')} />
            );
          }}
        </Answer>
      </Card>
      {asked.value?.kind === 'edit' && <SettingDialog setting={asked.value.setting} onClose={close} />}
      {asked.value?.kind === 'reset' && <ResetDialog setting={asked.value.setting} onClose={close} />}
    </>
  );
}

function columns(ask: (next: Asked) => void): readonly Column<Setting>[] {
  return [
    {
      name: 'setting',
      title: t('settings.setting'),
      by: ({ setting }) => setting,
      cell: (setting) => (
        <span class="stack tight">
          <code class="wrap">{setting.setting}</code>
          {schemaIn(setting).description !== undefined && (
            <span class="small soft" style={{ maxWidth: '52ch' }}>
              {schemaIn(setting).description}
            </span>
          )}
        </span>
      ),
    },
    {
      name: 'value',
      title: t('settings.value'),
      cell: ({ value }) => <span class="wrap">{shown(value)}</span>,
    },
    {
      name: 'origin',
      title: t('settings.setBy'),
      by: ({ origin }) => origin,
      cell: (setting) => <Origin of={setting} />,
    },
    actionsColumn((setting) => <Actions of={setting} ask={ask} />),
  ];
}

function Origin({ of: { origin, changed_by: by, changed_at: at, stored } }: { readonly of: Setting }) {
  if (origin === 'default' && !stored) return <span class="soft">{t('settings.isDefault')}</span>;
  return (
    <span class="stack tight">
      <span class="row">
        <Badge tone={origin === 'console' ? 'good' : 'accent'}>
          {origin === 'console' ? t('settings.console') : origin === 'default' ? t('settings.isDefault') : origin}
        </Badge>
        {stored && origin !== 'console' && <Badge tone="warn">{t('settings.unused')}</Badge>}
      </span>
      {origin === 'console' && by !== null && at !== null && (
        <span class="small soft">
          {by} · <Time at={at} isRelative />
        </span>
      )}
    </span>
  );
}

function Actions({ of: setting, ask }: { readonly of: Setting; readonly ask: (next: Asked) => void }) {
  const { setting: name, editable, stored, bond } = setting;
  if (!editable) {
    const why = bond === 'secret' || bond === 'restart' ? t(`settings.bond.${bond}`) : undefined;
    return why === undefined ? null : <span class="small soft">{why}</span>;
  }
  return (
    <span class="row nowrap">
      <Button
        isSmall
        icon="edit"
        label={t('settings.editOne', { name })}
        onClick={() => ask({ kind: 'edit', setting })}
      >
        {t('settings.edit')}
      </Button>
      {stored && (
        <Button isSmall label={t('settings.resetOne', { name })} onClick={() => ask({ kind: 'reset', setting })}>
          {t('settings.reset')}
        </Button>
      )}
    </span>
  );
}
