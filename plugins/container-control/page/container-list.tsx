import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  attempt,
  Badge,
  Button,
  bytes,
  Card,
  changed,
  ConfirmDialog,
  Empty,
  ErrorPanel,
  IconButton,
  percent,
  sendRemoval,
  t,
  Table,
  toast,
  useQuery,
  useRefresh,
  type Column,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { ContainerDialog } from './container-dialog.tsx';
import { LogDialog } from './log-dialog.tsx';
import type { Container } from './replies.ts';

type Figures = ReplyOf<'GET /api/docker-figures'>['containers'][number];
type Change = 'start' | 'stop' | 'restart';
type Shown = { readonly what: 'details' | 'log' | 'removal'; readonly container: Container };

const POLLED_MS = 5000;

/** Lists the account's containers, and does with them what may be done. */
export default function ContainerList() {
  const shown = useSignal<Shown | undefined>(undefined);
  const containers = useQuery('containers', (signal) => api('GET /api/docker-containers', { signal }));
  const figures = useQuery('figures', (signal) => api('GET /api/docker-figures', { signal }));
  useRefresh(figures, POLLED_MS);
  const close = () => void (shown.value = undefined);
  const change = ({ id, name }: Container, what: Change) =>
    attempt(async () => {
      await api(`POST /api/docker-containers/:id/${what}`, { params: { id } });
      toast(t(`container-control.${what}.done`, { name }));
      changed();
    });
  const show = (what: Shown['what'], container: Container) => void (shown.value = { what, container });
  const { what, container } = shown.value ?? {};
  return (
    <Card title={t('container-control.title')} isFlush>
      {figures.error && <ErrorPanel error={figures.error} onRetry={figures.reload} />}
      <Answer of={containers} lines={4}>
        {({ containers: all }) => (
          <ContainerTable
            containers={all}
            figures={new Map(figures.data?.containers.map((each) => [each.id, each]))}
            onChange={change}
            onShow={show}
          />
        )}
      </Answer>
      {what === 'details' && container && <ContainerDialog container={container} onClose={close} />}
      {what === 'log' && container && <LogDialog container={container} onClose={close} />}
      {what === 'removal' && container && <Removal container={container} onClose={close} />}
    </Card>
  );
}

interface ContainerTableProps {
  readonly containers: readonly Container[];
  /** By the id of a container that runs. */
  readonly figures: ReadonlyMap<string, Figures>;
  readonly onChange: (container: Container, change: Change) => Promise<void>;
  readonly onShow: (what: Shown['what'], container: Container) => void;
}

function ContainerTable({ containers, figures, onChange, onShow }: ContainerTableProps) {
  if (containers.length === 0)
    return (
      <Empty icon="box" title={t('container-control.none')}>
        {t('container-control.noneAbout')}
      </Empty>
    );
  const columns: readonly Column<Container>[] = [
    {
      name: 'name',
      title: t('container-control.name'),
      by: ({ name }) => name,
      cell: (container) => (
        <Button kind="plain" isSmall onClick={() => onShow('details', container)}>
          {container.name}
        </Button>
      ),
    },
    {
      name: 'state',
      title: t('container-control.state'),
      by: ({ state }) => state,
      cell: ({ state, status }) => <Badge tone={state === 'running' ? 'good' : 'warn'}>{status || state}</Badge>,
    },
    {
      name: 'image',
      title: t('container-control.image'),
      by: ({ image }) => image,
      cell: ({ image }) => <code class="wrap">{image}</code>,
    },
    {
      name: 'cpu',
      title: t('container-control.processor'),
      isEnd: true,
      by: ({ id }) => figures.get(id)?.cpu_percent ?? -1,
      cell: ({ id }) => <span class="number">{shown(figures.get(id), (of) => percent(of.cpu_percent))}</span>,
    },
    {
      name: 'memory',
      title: t('container-control.usedMemory'),
      isEnd: true,
      by: ({ id }) => figures.get(id)?.memory_bytes ?? -1,
      cell: ({ id }) => <span class="number">{shown(figures.get(id), (of) => bytes(of.memory_bytes))}</span>,
    },
    actionsColumn((container) => <Actions container={container} onChange={onChange} onShow={onShow} />),
  ];
  return (
    <Table
      caption={t('container-control.title')}
      columns={columns}
      rows={containers}
      keyOf={({ id }) => id}
      sortedBy="name"
    />
  );
}

const shown = (figures: Figures | undefined, text: (of: Figures) => string): string =>
  figures === undefined ? '–' : text(figures);

function Actions({
  container,
  onChange,
  onShow,
}: Omit<ContainerTableProps, 'containers' | 'figures'> & { readonly container: Container }) {
  const isRunning = container.state === 'running' || container.state === 'restarting';
  return (
    <div class="row">
      {(isRunning ? (['restart', 'stop'] as const) : (['start'] as const)).map((what) => (
        <Button
          key={what}
          isSmall
          label={t(`container-control.${what}.one`, { name: container.name })}
          onClick={() => onChange(container, what)}
        >
          {t(`container-control.${what}`)}
        </Button>
      ))}
      <Button
        isSmall
        label={t('container-control.logOne', { name: container.name })}
        onClick={() => onShow('log', container)}
      >
        {t('container-control.log')}
      </Button>
      {!isRunning && (
        <IconButton
          isBad
          icon="trash"
          label={t('container-control.removeOne', { name: container.name })}
          onClick={() => onShow('removal', container)}
        />
      )}
    </div>
  );
}

function Removal({
  container: { id, name },
  onClose,
}: {
  readonly container: Container;
  readonly onClose: () => void;
}) {
  const remove = async () => {
    await sendRemoval('DELETE /api/docker-containers/:id', { params: { id } });
    toast(t('container-control.wasRemoved', { name }));
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('container-control.removeOne', { name })}
      action={t('container-control.remove')}
      name={name}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t('container-control.removeAbout')}</p>
    </ConfirmDialog>
  );
}
