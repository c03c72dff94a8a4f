import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Button,
  Card,
  Empty,
  Select,
  t,
  useQuery,
  useRefresh,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { Shell } from './shell.tsx';

type Container = ReplyOf<'GET /api/docker-shells'>['containers'][number];

const POLLED_MS = 5000;

/** Opens a shell in one of the containers that run. */
export default function ShellCard() {
  const shells = useQuery('shells', (signal) => api('GET /api/docker-shells', { signal }));
  useRefresh(shells, POLLED_MS);
  const opened = useSignal<Container | undefined>(undefined);
  const close = () => void (opened.value = undefined);
  if (opened.value !== undefined)
    return (
      <Card title={t('container-shell.of', { name: opened.value.name })}>
        <Shell container={opened.value} onClose={close} />
      </Card>
    );
  return (
    <Card title={t('container-shell.title')}>
      <Answer of={shells} lines={2}>
        {({ containers }) => <Choice containers={containers} onOpen={(container) => void (opened.value = container)} />}
      </Answer>
    </Card>
  );
}

interface ChoiceProps {
  readonly containers: readonly Container[];
  readonly onOpen: (container: Container) => void;
}

function Choice({ containers, onOpen }: ChoiceProps) {
  const chosen = useSignal('');
  const container = containers.find(({ id }) => id === chosen.value) ?? containers[0];
  if (container === undefined)
    return (
      <Empty icon="box" title={t('container-shell.none')}>
        {t('container-shell.noneAbout')}
      </Empty>
    );
  return (
    <div class="row">
      <Select
        label={t('container-shell.container')}
        value={container.id}
        of={containers.map(({ id, name }) => [id, name] as const)}
        onChange={(id) => void (chosen.value = id)}
      />
      <Button kind="primary" onClick={() => onOpen(container)}>
        {t('container-shell.open')}
      </Button>
    </div>
  );
}
