import { Button, bytes, Card, errorText, IconButton, lastName, Panel, Progress, t } from '../../../pages/kit/index.ts';
import { again, cancel, clear, isOpen, pause, transfers, type Transfer } from './queue.ts';

/** Lines that are drawn of what waits or failed; the heads count all. */
const SHOWN = 50;

/** How the uploads and downloads do, each with its own end; at last, what failed and why. */
export function TransferList() {
  const all = transfers();
  if (all.length === 0) return null;
  const having = (...states: readonly Transfer['state'][]) => all.filter(({ state }) => states.includes(state));
  const [open, existing, failed] = [all.filter(isOpen), having('exists'), having('failed')];
  const over = all.length - open.length;
  const total = all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const done = all.reduce((sum, each) => sum + (isOpen(each) ? each.doneBytes : each.sizeBytes), 0);
  return (
    <Card
      title={t('files.transfers')}
      end={
        open.length > 0 ? (
          <Button isSmall onClick={() => cancel(open)}>
            {t('files.cancelAll')}
          </Button>
        ) : (
          <IconButton icon="close" label={t('pages.close')} onClick={clear} />
        )
      }
    >
      <div class="stack">
        {open.length > 0 && (
          <>
            <p class="number" role="status">
              {t('files.transferred', { done: over, n: all.length })}
            </p>
            <Progress label={t('files.transfers')} part={total === 0 ? 0 : (done / total) * 100} />
            <ul class="stack tight">
              {open.slice(0, SHOWN).map((each) => (
                <Line key={each.id} transfer={each} state={each.state} doneBytes={each.doneBytes} />
              ))}
            </ul>
          </>
        )}
        {existing.length > 0 && open.length === 0 && (
          <Panel kind="warn" icon="warn" title={t('files.exist', { n: existing.length })} isAlert>
            <Names of={existing} />
            <Button isSmall onClick={() => again(existing, true)}>
              {t('files.replace', { n: existing.length })}
            </Button>
          </Panel>
        )}
        {failed.length > 0 && (
          <Panel kind="bad" icon="warn" title={t('files.transferFailed', { n: failed.length })} isAlert>
            <Names of={failed} />
            <Button isSmall icon="refresh" onClick={() => again(failed, false)}>
              {t('pages.retry')}
            </Button>
          </Panel>
        )}
      </div>
    </Card>
  );
}

interface LineProps extends Pick<Transfer, 'state' | 'doneBytes'> {
  /** The same object while it changes, which alone would draw nothing anew. */
  readonly transfer: Transfer;
}

function Line({ transfer, state, doneBytes }: LineProps) {
  const { path, sizeBytes, isResumable } = transfer;
  const name = lastName(path);
  return (
    <li class="transfer">
      <span class="wrap">{name}</span>
      <span class="small soft number">
        {state === 'waiting' ? t('files.waits') : t('files.sent', { done: bytes(doneBytes), all: bytes(sizeBytes) })}
      </span>
      {isResumable && state !== 'waiting' && (
        <Button
          isSmall
          label={t(state === 'paused' ? 'files.resumeNamed' : 'files.pauseNamed', { name })}
          onClick={() => (state === 'paused' ? again([transfer], transfer.mayReplace) : pause(transfer))}
        >
          {t(state === 'paused' ? 'files.resume' : 'files.pause')}
        </Button>
      )}
      <IconButton icon="close" label={t('files.cancel', { name })} onClick={() => cancel([transfer])} />
    </li>
  );
}

function Names({ of }: { readonly of: readonly Transfer[] }) {
  return (
    <ul>
      {of.slice(0, SHOWN).map(({ id, path, error, state }) => (
        <li key={id} class="wrap">
          {lastName(path)}
          {state === 'failed' && `: ${errorText(error)}`}
        </li>
      ))}
      {of.length > SHOWN && <li>{t('files.andMore', { n: of.length - SHOWN })}</li>}
    </ul>
  );
}
