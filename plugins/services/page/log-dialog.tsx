import { useEffect, useRef } from 'preact/hooks';
import { Answer, api, Button, Dialog, t, useQuery, useRefresh, type ReplyOf } from '../../pages/kit/index.ts';

interface LogDialogProps {
  readonly service: ReplyOf<'GET /api/services'>[number];
  readonly onClose: () => void;
}

const POLLED_MS = 5000;

/** Shows the last lines that a service printed. */
export function LogDialog({ service: { service, title }, onClose }: LogDialogProps) {
  const log = useQuery(`log ${service}`, (signal) =>
    api('GET /api/services/:service/log', { params: { service }, signal }),
  );
  useRefresh(log, POLLED_MS);
  return (
    <Dialog title={t('services.label.log', { title })} isLarge onClose={onClose}>
      <Answer of={log} lines={6}>
        {({ lines }) => <Lines lines={lines} />}
      </Answer>
      <div class="row">
        <Button isSmall onClick={log.reload}>
          {t('services.log.refresh')}
        </Button>
      </div>
    </Dialog>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  const end = useRef<HTMLDivElement>(null);
  const last = lines.at(-1);
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [last]);
  return (
    <pre class="code" tabIndex={0} aria-label={t('services.log')}>
      {lines.length === 0 ? t('services.log.none') : lines.map((line) => `${line}\n`)}
      <div ref={end} />
    </pre>
  );
}
