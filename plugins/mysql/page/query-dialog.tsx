import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { api, Button, Dialog, saveAs, t, type ReplyOf } from '../../pages/kit/index.ts';
import { toCsv } from './csv.ts';

type Result = ReplyOf<'POST /api/databases/:database/query'>;
interface QueryProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Runs statements that read, one after the other, and shows what each brings. */
export function QueryDialog({ name, onClose }: QueryProps) {
  const id = useId();
  const statement = useSignal('');
  const result = useSignal<Result | undefined>(undefined);
  const run = async () => {
    result.value = undefined;
    const [params, body] = [{ database: name }, { statement: statement.value }];
    result.value = await api('POST /api/databases/:database/query', { params, body });
  };
  return (
    <Dialog
      title={t('mysql.queryOne', { name })}
      onClose={onClose}
      isLarge
      onSubmit={run}
      submit={{ text: t('mysql.query'), isDisabled: statement.value.trim() === '' }}
    >
      <div class="field">
        <label htmlFor={id}>{t('mysql.statement')}</label>
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
          {t('mysql.queryAbout')}
        </span>
      </div>
      {result.value && <Rows name={name} result={result.value} />}
    </Dialog>
  );
}

function Rows({ name, result: { columns, rows, truncated, ms } }: { readonly name: string; readonly result: Result }) {
  const save = () => saveAs(`${name}.csv`, new Blob([toCsv([columns, ...rows])], { type: 'text/csv' }));
  return (
    <>
      <p class="row">
        <span role="status" class="number">
          {t('mysql.resultRows', { n: rows.length, ms })} {truncated && t('mysql.resultIsCut')}
        </span>
        <Button isSmall icon="download" onClick={save}>
          {t('mysql.saveCsv')}
        </Button>
      </p>
      <div class="table-frame" tabIndex={0} role="group" aria-label={t('mysql.result')}>
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
