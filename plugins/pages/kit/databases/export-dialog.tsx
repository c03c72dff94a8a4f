import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { bytes, Dialog, ErrorPanel, saveAs, t, transfer } from '../index.ts';
import type { DatabaseEngine } from './engine.ts';

interface ExportProps {
  readonly engine: DatabaseEngine;
  readonly name: string;
  readonly onClose: () => void;
}

/** Fetches a dump and hands it to the browser; to close the dialog ends it. */
export function ExportDialog({ engine, name, onClose }: ExportProps) {
  const received = useSignal(0);
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    const path = engine.exportPath(name);
    const onProgress = (doneBytes: number) => void (received.value = doneBytes);
    transfer(path, { method: 'GET', signal: abort.signal, onProgress }).then(
      (content) => {
        saveAs(`${name}.sql.gz`, content);
        onClose();
      },
      (failure: unknown) => void (abort.signal.aborted || (error.value = failure)),
    );
    return () => abort.abort();
  }, [engine, name]);
  return (
    <Dialog title={t('pages.db.exportOne', { name })} onClose={onClose}>
      {error.value === undefined ? (
        <p role="status" class="number">
          {t('pages.db.received', { size: bytes(received.value) })}
        </p>
      ) : (
        <ErrorPanel error={error.value} />
      )}
    </Dialog>
  );
}
