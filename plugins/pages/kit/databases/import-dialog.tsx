import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { bytes, changed, Dialog, Progress, t, toast, transfer } from '../index.ts';
import type { DatabaseEngine } from './engine.ts';

interface ImportProps {
  readonly engine: DatabaseEngine;
  readonly name: string;
  readonly onClose: () => void;
}

/** Sends a dump; the server takes it as fast as it runs it, so that what was sent was run. To close the dialog ends it. */
export function ImportDialog({ engine, name, onClose }: ImportProps) {
  const id = useId();
  const file = useSignal<File | undefined>(undefined);
  const sent = useSignal<number | undefined>(undefined);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const send = async () => {
    if (file.value === undefined) return;
    sent.value = 0;
    try {
      await transfer(engine.importPath(name), {
        method: 'POST',
        body: file.value,
        signal: abort.current.signal,
        onProgress: (doneBytes) => void (sent.value = doneBytes),
      });
    } finally {
      sent.value = undefined;
      changed();
    }
    toast(t('pages.db.wasImported', { name }));
    onClose();
  };
  const size = file.value?.size ?? 0;
  return (
    <Dialog
      title={t('pages.db.importOne', { name })}
      onClose={onClose}
      onSubmit={send}
      submit={{ text: t('pages.db.import'), isDisabled: file.value === undefined }}
    >
      <p>{t('pages.db.importAbout')}</p>
      <div class="field">
        <label htmlFor={id}>{t(engine.texts.dump)}</label>
        <input
          id={id}
          type="file"
          class="input"
          accept=".sql,.gz,.zst"
          disabled={sent.value !== undefined}
          onChange={({ currentTarget }) => void (file.value = currentTarget.files?.[0])}
        />
      </div>
      {sent.value !== undefined && (
        <>
          <Progress label={t('pages.db.import')} part={size === 0 ? 100 : (sent.value / size) * 100} />
          <p role="status" class="number">
            {sent.value < size
              ? t('pages.db.sent', { done: bytes(sent.value), all: bytes(size) })
              : t('pages.db.lastStatements')}
          </p>
        </>
      )}
    </Dialog>
  );
}
