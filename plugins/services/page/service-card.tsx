import { Fragment } from 'preact';
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
import { LogDialog } from './log-dialog.tsx';

type Service = ReplyOf<'GET /api/services'>[number];
type Action = 'off' | 'flush' | 'restart';
const MIB = 2 ** 20;

/** A service: whether it runs, how programs connect to it, what it says of itself, and what can be done with it. */
export function ServiceCard({ service }: { readonly service: Service }) {
  const { service: name, title, is_installed: isInstalled, is_on: isOn } = service;
  const asked = useSignal<Action | undefined>(undefined);
  const isStarting = useSignal(false);
  const hasLog = useSignal(false);
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
            <Connection service={service} />
            {service.figures === null ? (
              <p>{t('services.silent')}</p>
            ) : (
              <Figures of={service.figures} memoryMib={service.memory_mib} />
            )}
          </>
        ) : (
          <p class="soft">
            {t(service.keeps ? 'services.offAbout.keeps' : 'services.offAbout', {
              title,
              memory: bytes(service.memory_mib * MIB),
            })}
          </p>
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
          <Button kind="plain" label={t('services.label.log', { title })} onClick={() => void (hasLog.value = true)}>
            {t('services.log')}
          </Button>
        </div>
      </div>
      {hasLog.value && <LogDialog service={service} onClose={() => void (hasLog.value = false)} />}
      {action !== undefined && (
        <ConfirmDialog
          title={t(`services.label.${action}`, { title })}
          action={t(`services.${action}`)}
          onConfirm={() => doIt(action)}
          onClose={() => void (asked.value = undefined)}
        >
          <p>
            {t(service.keeps && action === 'restart' ? 'services.sure.restart.keeps' : `services.sure.${action}`, {
              title,
            })}
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** Tells how an application reaches it; HTTP needs a host beside the socket, whichever. */
function Connection({ service: { socket, speaks_http: speaksHttp } }: { readonly service: Service }) {
  const path = socket ?? '';
  const http = [
    [t('services.url'), 'http://localhost'],
    [t('services.try'), `curl --unix-socket ${path} http://localhost/`],
  ] as const;
  return (
    <>
      <FactsToCopy lines={[[t('services.socket'), path], ...(speaksHttp ? http : [])]} />
      <p class="soft">{t('services.socketAbout')}</p>
      {speaksHttp && <p class="soft">{t('services.httpAbout')}</p>}
    </>
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

/** Those that the service tells. */
function Figures({ of: { hits, misses = 0, memory_bytes: memory, ...others }, memoryMib }: FiguresProps) {
  const { keys, indices, documents, stored_bytes: stored, evicted } = others;
  const reads = (hits ?? 0) + misses;
  const lines = [
    ['indices', indices, number],
    ['documents', documents, number],
    ['stored', stored, bytes],
    ['keys', keys, number],
    [
      'hits',
      hits,
      (value: number) => (reads > 0 ? `${number(value)} (${percent((value / reads) * 100)})` : number(value)),
    ],
    ['misses', hits === undefined ? undefined : misses, number],
    ['evicted', evicted, number],
  ] as const;
  return (
    <>
      <Meter label={t('services.memory')} used={memory} limit={memoryMib * MIB} isBytes />
      <dl class="facts">
        {lines.map(
          ([name, value, text]) =>
            value !== undefined && (
              <Fragment key={name}>
                <dt>{t(`services.${name}`)}</dt>
                <dd>{text(value)}</dd>
              </Fragment>
            ),
        )}
      </dl>
    </>
  );
}
