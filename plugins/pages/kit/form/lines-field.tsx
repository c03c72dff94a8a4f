import { useId } from 'preact/hooks';

interface LinesFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly rows?: number;
  /** Whether letters have one width. */
  readonly isMono?: boolean;
}

/** A labelled text of several lines, in which spelling and case count. */
export function LinesField({ label, hint, value, onChange, rows = 4, isMono }: LinesFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        class={isMono === true ? 'input mono' : 'input'}
        rows={rows}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        aria-describedby={`${id}-hint`}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} class="hint">
        {hint}
      </span>
    </div>
  );
}

/** Returns the lines of a text that are not empty, without spaces around them. */
export const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
