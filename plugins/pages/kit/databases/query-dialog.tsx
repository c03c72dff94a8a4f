import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button, Dialog, saveAs, t } from '../index.ts';
import { toCsv } from './csv.ts';
import type { DatabaseEngine, QueriedRows } from './engine.ts';

interface QueryProps {
  readonly engine: DatabaseEngine;
  readonly name: string;
  readonly onClose: () => void;
}

/** Runs statements that read, one after the other, and shows what each brings. */
export function QueryDialog({ engine, name, onClose }: QueryProps) {
  const id = useId();
  const statement = useSignal('');
  const result = useSignal<QueriedRows | undefined>(undefined);
  const run = async () => {
    result.value = undefined;
    result.value = await engine.query(name, statement.value);
  };
  return (
    <Dialog
      title={t('pages.db.queryOne', { name })}
      onClose={onClose}
      isLarge
      onSubmit={run}
      submit={{ text: t('pages.db.query'), isDisabled: statement.value.trim() === '' }}
    >
      <div class="field">
        <label htmlFor={id}>{t('pages.db.statement')}</label>
        <textarea
          id={id}
          class="input code"
          rows={4}
          maxLength={65_536}
          spellcheck={false}
          autocapitalize="none"
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => (statement.value = currentTarget.value)}
        />
        <span id={`${id}-hint`} class="hint">
          {t(engine.texts.queryAbout)}
        </span>
      </div>
      {result.value && <Rows name={name} result={result.value} />}
    </Dialog>
  );
}

function Rows({
  name,
  result: { columns, rows, truncated, ms },
}: {
  readonly name: string;
  readonly result: QueriedRows;
}) {
  const save = () => saveAs(`${name}.csv`, new Blob([toCsv([columns, ...rows])], { type: 'text/csv' }));
  return (
    <>
      <p class="row">
        <span role="status" class="number">
          {t('pages.db.resultRows', { n: rows.length, ms })} {truncated && t('pages.db.resultIsCut')}
        </span>
        <Button isSmall icon="download" onClick={save}>
          {t('pages.db.saveCsv')}
        </Button>
      </p>
      <div class="table-frame" tabIndex={0} role="group" aria-label={t('pages.db.result')}>
        <table class="table">
          <thead>
            <tr>
              {columns.map((column, i) => (
                <th key={i} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {row.map((value, at) => (
                  <td key={at}>{value ?? <span class="soft">NULL</span>}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
