import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  Badge,
  Button,
  Card,
  Empty,
  ofNode,
  PageHead,
  Panel,
  SearchInput,
  t,
  Table,
  Time,
  useQuery,
  type Column,
} from '../../pages/kit/index.ts';
import { ResetVariable, VariableDialog } from './variable-dialog.tsx';
import { apart, boundsText, type Server, type Variable } from './variable-text.ts';

interface Asked {
  readonly dialog: 'set' | 'reset';
  readonly server: string;
  readonly variable: Variable;
}
type Ask = (dialog: Asked['dialog'], variable: Variable) => void;

/** The variables of a node's database servers, which administrators change. */
export default function ServersPage() {
  const search = useSignal('');
  const asked = useSignal<Asked | undefined>(undefined);
  const servers = useQuery('database-variables', (signal) =>
    api('GET /api/database-variables', { query: ofNode(), signal }),
  );
  const wanted = search.value.trim().toLowerCase();
  const close = () => void (asked.value = undefined);
  return (
    <>
      <PageHead title={t('mysql-conf.servers')} about={t('mysql-conf.serversAbout')} />
      <Answer of={servers} lines={10}>
        {({ servers: all }) =>
          all.length === 0 ? (
            <Card>
              <Empty icon="database" title={t('mysql-conf.noServers')}>
                {t('mysql-conf.noServersAbout')}
              </Empty>
            </Card>
          ) : (
            <div class="stack">
              <SearchInput
                label={t('mysql-conf.search')}
                value={search.value}
                onChange={(text) => (search.value = text)}
              />
              {all.map((server) => (
                <ServerCard
                  key={server.name}
                  server={server}
                  wanted={wanted}
                  ask={(dialog, variable) => void (asked.value = { dialog, server: server.name, variable })}
                />
              ))}
            </div>
          )
        }
      </Answer>
      {asked.value?.dialog === 'set' && <VariableDialog {...asked.value} onClose={close} />}
      {asked.value?.dialog === 'reset' && <ResetVariable {...asked.value} onClose={close} />}
    </>
  );
}

interface ServerCardProps {
  readonly server: Server;
  readonly wanted: string;
  readonly ask: Ask;
}

function ServerCard({ server: { name, problem, variables }, wanted, ask }: ServerCardProps) {
  const rows = variables.filter((each) => each.name.includes(wanted));
  return (
    <Card title={name} isFlush={problem === null && rows.length > 0}>
      {problem !== null ? (
        <Panel kind="warn" icon="warn" title={t('mysql-conf.unreachable')}>
          <p>{problem}</p>
        </Panel>
      ) : rows.length === 0 ? (
        <Empty icon="search" title={t('pages.nothingFound')} />
      ) : (
        <Table caption={name} columns={columns(ask)} rows={rows} keyOf={(each) => each.name} sortedBy="name" />
      )}
    </Card>
  );
}

function columns(ask: Ask): readonly Column<Variable>[] {
  return [
    {
      name: 'name',
      title: t('mysql-conf.variable'),
      by: ({ name }) => name,
      cell: (variable) => (
        <span class="stack tight">
          <code class="wrap">{variable.name}</code>
          <span class="small soft wrap">{boundsText(variable)}</span>
        </span>
      ),
    },
    { name: 'value', title: t('mysql-conf.value'), cell: (variable) => <Value of={variable} /> },
    actionsColumn((variable) => (
      <span class="row nowrap">
        <Button
          isSmall
          icon="edit"
          label={t('mysql-conf.changeOne', { name: variable.name })}
          onClick={() => ask('set', variable)}
        >
          {t('mysql-conf.change')}
        </Button>
        {variable.set_value !== null && (
          <Button
            isSmall
            label={t('mysql-conf.resetOne', { name: variable.name })}
            onClick={() => ask('reset', variable)}
          >
            {t('mysql-conf.reset')}
          </Button>
        )}
      </span>
    )),
  ];
}

function Value({ of: { value, set_value: set, changed_by: by, changed_at: at } }: { readonly of: Variable }) {
  return (
    <span class="stack tight">
      <span class="wrap">{apart(value)}</span>
      {set !== null && set !== value && <Badge tone="warn">{t('mysql-conf.setTo', { value: set })}</Badge>}
      {by !== null && at !== null && (
        <span class="small soft">
          {by} · <Time at={at} isRelative />
        </span>
      )}
    </span>
  );
}
