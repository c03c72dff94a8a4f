import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { bytes, Dialog, ErrorPanel, fillPath, saveAs, t, transfer } from '../../pages/kit/index.ts';

interface ExportProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Fetches a dump and hands it to the browser; to close the dialog ends it. */
export function ExportDialog({ name, onClose }: ExportProps) {
  const received = useSignal(0);
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    const path = fillPath('/api/databases/:database/export', { database: name });
    const onProgress = (doneBytes: number) => void (received.value = doneBytes);
    transfer(path, { method: 'GET', signal: abort.signal, onProgress }).then(
      (content) => {
        saveAs(`${name}.sql.gz`, content);
        onClose();
      },
      (failure: unknown) => void (abort.signal.aborted || (error.value = failure)),
    );
    return () => abort.abort();
  }, [name]);
  return (
    <Dialog title={t('mysql.exportOne', { name })} onClose={onClose}>
      {error.value === undefined ? (
        <p role="status" class="number">
          {t('mysql.received', { size: bytes(received.value) })}
        </p>
      ) : (
        <ErrorPanel error={error.value} />
      )}
    </Dialog>
  );
}
