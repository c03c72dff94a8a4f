import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog, Field, Freshness, t, useStream, type ReplyOf } from '../../pages/kit/index.ts';
import type { Container } from './container-list.tsx';

type Line = ReplyOf<'GET /api/docker-containers/:id/logs'>['lines'][number];

interface LogDialogProps {
  readonly container: Container;
  readonly onClose: () => void;
}

/** Lines that the page keeps: enough to read, and no more than a browser draws quickly. */
const KEPT = 1000;
/** The server sends something every 15 seconds. */
const STALE_MS = 35_000;

/** Shows the log of a container as it grows; a filter hides the lines without a text. */
export function LogDialog({ container: { id, name }, onClose }: LogDialogProps) {
  const lines = useSignal<readonly Line[]>([]);
  const text = useSignal('');
  const end = useRef<HTMLDivElement>(null);
  const feed = useStream(`/api/docker-containers/${id}/logs/stream`, ({ id: n, data }) => {
    const before = n === '1' ? [] : lines.value; // a stream that was interrupted begins again
    lines.value = [...before, JSON.parse(data) as Line].slice(-KEPT);
  });
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [lines.value]);
  const shown = lines.value.filter((line) => line.text.includes(text.value));
  return (
    <Dialog title={t('container-control.logOne', { name })} isLarge onClose={onClose}>
      <Field label={t('container-control.filter')} value={text.value} onChange={(next) => (text.value = next)} />
      <Freshness feed={feed} staleMs={STALE_MS} />
      <pre class="code" tabIndex={0} aria-label={t('container-control.log')}>
        {shown.length === 0
          ? t('container-control.noLines')
          : shown.map((line) => `${line.at.slice(0, 19)}Z ${line.text}\n`)}
        <div ref={end} />
      </pre>
    </Dialog>
  );
}
