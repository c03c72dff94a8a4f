import { useSignal } from '@preact/signals';
import {
  api,
  attempt,
  Badge,
  Button,
  bytes,
  Card,
  changed,
  ConfirmDialog,
  FactsToCopy,
  Meter,
  number,
  Panel,
  percent,
  t,
  toast,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Service = ReplyOf<'GET /api/services'>[number];
type Action = 'off' | 'flush' | 'restart';
const MIB = 2 ** 20;

/** A service: whether it runs, how programs connect to it, what it says of itself, and what can be done with it. */
export function ServiceCard({ service }: { readonly service: Service }) {
  const { service: name, title, is_installed: isInstalled, is_on: isOn } = service;
  const asked = useSignal<Action | undefined>(undefined);
  const isStarting = useSignal(false);
  const params = { service: name };
  const start = async () => {
    isStarting.value = true;
    await attempt(async () => {
      await api('PUT /api/services/:service', { params, body: { is_on: true } });
      toast(t('services.isOn', { title }));
    });
    isStarting.value = false;
    changed();
  };
  const doIt = async (action: Action) => {
    if (action === 'off') await api('PUT /api/services/:service', { params, body: { is_on: false } });
    else if (action === 'flush') await api('POST /api/services/:service/flush', { params });
    else await api('POST /api/services/:service/restart', { params });
    toast(t(`services.done.${action}`, { title }));
    changed();
    asked.value = undefined;
  };
  const action = asked.value;
  return (
    <Card title={title} end={<State service={service} />}>
      <div class="stack">
        {!isInstalled && (
          <Panel kind="warn" icon="warn" title={t('services.missing', { title })}>
            <p>{t('services.missingAbout')}</p>
          </Panel>
        )}
        {isOn ? (
          <>
            <FactsToCopy lines={[[t('services.socket'), service.socket ?? '']]} />
            <p class="soft">{t('services.socketAbout')}</p>
            {service.figures === null ? (
              <p>{t('services.silent')}</p>
            ) : (
              <Figures of={service.figures} memoryMib={service.memory_mib} />
            )}
          </>
        ) : (
          <p class="soft">{t('services.offAbout', { title, memory: bytes(service.memory_mib * MIB) })}</p>
        )}
        <div class="row">
          {isOn ? (
            (['flush', 'restart', 'off'] as const).map((each) => (
              <Button
                key={each}
                isDisabled={each === 'flush' && !service.is_running}
                onClick={() => void (asked.value = each)}
              >
                {t(`services.label.${each}`, { title })}
              </Button>
            ))
          ) : (
            <Button kind="primary" isBusy={isStarting.value} isDisabled={!isInstalled} onClick={start}>
              {t('services.label.on', { title })}
            </Button>
          )}
        </div>
      </div>
      {action !== undefined && (
        <ConfirmDialog
          title={t(`services.label.${action}`, { title })}
          action={t(`services.${action}`)}
          onConfirm={() => doIt(action)}
          onClose={() => void (asked.value = undefined)}
        >
          <p>{t(`services.sure.${action}`, { title })}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function State({ service: { is_on: isOn, is_running: isRunning } }: { readonly service: Service }) {
  if (!isOn) return <Badge>{t('services.state.off')}</Badge>;
  return isRunning ? (
    <Badge tone="good">{t('services.state.running')}</Badge>
  ) : (
    <Badge tone="warn">{t('services.state.silent')}</Badge>
  );
}

interface FiguresProps {
  readonly of: NonNullable<Service['figures']>;
  readonly memoryMib: number;
}

function Figures({ of: { hits, misses, keys, evicted, memory_bytes: memory }, memoryMib }: FiguresProps) {
  const reads = hits + misses;
  return (
    <>
      <Meter label={t('services.memory')} used={memory} limit={memoryMib * MIB} isBytes />
      <dl class="facts">
        <dt>{t('services.keys')}</dt>
        <dd>{number(keys)}</dd>
        <dt>{t('services.hits')}</dt>
        <dd>
          {number(hits)} {reads > 0 && <span class="soft">({percent((hits / reads) * 100)})</span>}
        </dd>
        <dt>{t('services.misses')}</dt>
        <dd>{number(misses)}</dd>
        <dt>{t('services.evicted')}</dt>
        <dd>{number(evicted)}</dd>
      </dl>
    </>
  );
}
