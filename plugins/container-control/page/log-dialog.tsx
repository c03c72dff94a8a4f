import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import {
  Button,
  Dialog,
  fillPath,
  FilterInput,
  Freshness,
  saveAs,
  Select,
  t,
  transfer,
  useStream,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import type { Container } from './replies.ts';

type Line = ReplyOf<'GET /api/docker-containers/:id/logs'>['lines'][number];
type Wanted = { readonly after?: string; readonly text?: string };

interface LogDialogProps {
  readonly container: Container;
  readonly onClose: () => void;
}

/** Lines that the page keeps: enough to read, and no more than a browser draws quickly. */
const KEPT = 1000;
/** The server sends something every 15 seconds. */
const STALE_MS = 35_000;
const MINUTE_MS = 60_000;
/** How far the log goes back, in minutes; 0 for all of it. */
const SINCE = [0, 15, 60, 1440] as const;

/** Shows the log of a container as it grows, from a time on and with a text, and saves it as a file. */
export function LogDialog({ container: { id, name }, onClose }: LogDialogProps) {
  const since = useSignal<{ readonly minutes: number; readonly after?: string }>({ minutes: 0 });
  const text = useSignal('');
  const { minutes, after } = since.value;
  const wanted: Wanted = { ...(after !== undefined && { after }), ...(text.value !== '' && { text: text.value }) };
  const choose = (chosen: number) => {
    const at = new Date(Date.now() - chosen * MINUTE_MS).toISOString();
    since.value = { minutes: chosen, ...(chosen > 0 && { after: at }) };
  };
  const save = async () => {
    const path = fillPath('/api/docker-containers/:id/logs/download', { id }, wanted);
    saveAs(`${name}.log`, await transfer(path, { method: 'GET' }));
  };
  return (
    <Dialog title={t('container-control.logOne', { name })} isLarge onClose={onClose}>
      <div class="row filters">
        <Select
          label={t('container-control.since')}
          isLabelHidden
          value={String(minutes)}
          of={SINCE.map((each) => [String(each), t(`container-control.since.${each}`)] as const)}
          onChange={(value) => choose(Number(value))}
        />
        <FilterInput
          label={t('container-control.filter')}
          value={text.value}
          onChange={(next) => void (text.value = next)}
        />
        <Button isSmall kind="plain" icon="download" onClick={save}>
          {t('container-control.download')}
        </Button>
      </div>
      <Lines key={JSON.stringify(wanted)} id={id} wanted={wanted} />
    </Dialog>
  );
}

function Lines({ id, wanted }: { readonly id: string; readonly wanted: Wanted }) {
  const lines = useSignal<readonly Line[]>([]);
  const end = useRef<HTMLDivElement>(null);
  const feed = useStream(fillPath('/api/docker-containers/:id/logs/stream', { id }, wanted), ({ id: n, data }) => {
    const before = n === '1' ? [] : lines.value; // a stream that was interrupted begins again
    lines.value = [...before, JSON.parse(data) as Line].slice(-KEPT);
  });
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [lines.value]);
  return (
    <>
      <Freshness feed={feed} staleMs={STALE_MS} />
      <pre class="code" tabIndex={0} aria-label={t('container-control.log')}>
        {lines.value.length === 0
          ? t('container-control.noLines')
          : lines.value.map((line) => `${line.at.slice(0, 19)}Z ${line.text}\n`)}
        <div ref={end} />
      </pre>
    </>
  );
}
