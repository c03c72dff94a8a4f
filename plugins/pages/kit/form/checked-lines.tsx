import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Button } from '../button.tsx';
import { Panel } from '../feedback.tsx';
import { ApiError } from '../server/api.ts';
import { t } from '../text/i18n.ts';

/** A line that the server cannot take. */
interface LineFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

interface CheckedLinesProps {
  readonly label: string;
  readonly hint: string;
  readonly mostCharacters: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly faults: readonly LineFault[];
}

/** A text in the language of a program, with what is wrong at which line. */
export function CheckedLines({ label, hint, mostCharacters, value, onChange, faults }: CheckedLinesProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const select = (line: number) => {
    const lines = value.split('\n');
    const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  };
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={area}
        id={id}
        class="input editor"
        rows={16}
        maxLength={mostCharacters}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="none"
        wrap="off"
        aria-invalid={faults.length > 0}
        aria-describedby={`${id}-hint ${id}-faults`}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} class="hint">
        {hint}
      </span>
      <div id={`${id}-faults`}>
        {faults.length > 0 && (
          <Panel kind="bad" icon="warn" title={t('pages.nothingChanged')} isAlert>
            <ul class="stack tight">
              {faults.map(({ line, message }, i) => (
                <li key={i} class="wrap">
                  <Button kind="plain" isSmall onClick={() => select(line)}>
                    {t('pages.line', { line })}
                  </Button>{' '}
                  {message}
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </div>
    </div>
  );
}

/** The text of a `CheckedLines` until it is saved; `code` is that of the error whose `errors` says which lines are wrong. */
export function useCheckedLines(saved: string | undefined, code: string) {
  const typed = useSignal<string | undefined>(undefined);
  const faults = useSignal<readonly LineFault[]>([]);
  return {
    text: typed.value ?? saved ?? '',
    isChanged: typed.value !== undefined && typed.value !== saved,
    faults: faults.value,
    change: (text: string) => {
      typed.value = text;
      faults.value = [];
    },
    /** Resolves with whether the server has taken the text. */
    save: async (send: (text: string) => Promise<unknown>): Promise<boolean> => {
      try {
        await send(typed.value ?? '');
        return true;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== code) throw error;
        faults.value = error.body['errors'] as readonly LineFault[];
        return false;
      }
    },
  };
}
