import { useSignal } from '@preact/signals';
import { Answer, api, Button, bytes, Dialog, number, t, Time, useQuery, type ReplyOf } from '../../pages/kit/index.ts';
import { Charts } from './charts.tsx';
import { LimitsDialog } from './limits-dialog.tsx';
import type { Container } from './replies.ts';

type Details = ReplyOf<'GET /api/docker-containers/:id'>;

interface ContainerDialogProps {
  readonly container: Container;
  readonly onClose: () => void;
}

/** Shows how a container is doing, what it may use, and with which variables it was made. */
export function ContainerDialog({ container: { id, name }, onClose }: ContainerDialogProps) {
  const details = useQuery(`container ${id}`, (signal) =>
    api('GET /api/docker-containers/:id', { params: { id }, signal }),
  );
  const limited = useSignal<Details | undefined>(undefined);
  if (limited.value !== undefined)
    return <LimitsDialog details={limited.value} onClose={() => void (limited.value = undefined)} />;
  return (
    <Dialog title={name} isLarge onClose={onClose}>
      <Answer of={details} lines={6}>
        {(found) => (
          <>
            {found.state === 'running' && <Charts id={id} />}
            <Facts details={found} />
            <div class="row">
              <Button isSmall onClick={() => void (limited.value = found)}>
                {t('container-control.limits')}
              </Button>
            </div>
          </>
        )}
      </Answer>
    </Dialog>
  );
}

function Facts({ details }: { readonly details: Details }) {
  const unlimited = t('container-control.unlimited');
  return (
    <>
      <dl class="facts">
        <dt>{t('container-control.state')}</dt>
        <dd>{details.status || details.state}</dd>
        {details.started_at !== null && (
          <>
            <dt>{t('container-control.started')}</dt>
            <dd>
              <Time at={details.started_at} />
            </dd>
          </>
        )}
        {details.state !== 'running' && (
          <>
            <dt>{t('container-control.exitCode')}</dt>
            <dd>{details.out_of_memory ? t('container-control.outOfMemory') : number(details.exit_code)}</dd>
          </>
        )}
        <dt>{t('container-control.restarts')}</dt>
        <dd>{number(details.restarts)}</dd>
        <dt>{t('container-control.memory')}</dt>
        <dd>{details.memory_bytes === 0 ? unlimited : bytes(details.memory_bytes)}</dd>
        <dt>{t('container-control.processors')}</dt>
        <dd>{details.processors === 0 ? unlimited : number(details.processors, 2)}</dd>
        {details.ports.map(({ ip, private_port, public_port, protocol }) => (
          <>
            <dt>{t('container-control.port', { port: `${private_port}/${protocol}` })}</dt>
            <dd>{public_port === 0 ? t('container-control.unpublished') : `${ip}:${public_port}`}</dd>
          </>
        ))}
      </dl>
      <h3>{t('container-control.environment')}</h3>
      <dl class="facts">
        {details.environment.map(({ name, value }) => (
          <>
            <dt>
              <code class="wrap">{name}</code>
            </dt>
            <dd>
              {value === null ? (
                <span class="soft">{t('container-control.hidden')}</span>
              ) : (
                <code class="wrap">{value}</code>
              )}
            </dd>
          </>
        ))}
      </dl>
    </>
  );
}
