import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from '../icon.tsx';
import { t } from '../text/i18n.ts';

interface FieldProps {
  readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'off';
  readonly autocapitalize?: 'none';
  readonly spellcheck?: boolean;
  readonly inputMode?: 'text' | 'numeric' | 'decimal' | 'url';
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly readOnly?: boolean;
  readonly autoFocus?: boolean;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: ComponentChildren;
  /** The fault of the value. */
  readonly fault?: string | undefined;
}

/** A labelled input; a fault is said where it is, and read with the input. */
export function Field({ label, value, onChange, hint, fault, ...input }: FieldProps) {
  const id = useId();
  const about = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        class="input"
        value={value}
        aria-invalid={fault !== undefined}
        aria-describedby={about === '' ? undefined : about}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <span id={`${id}-hint`} class="hint">
          {hint}
        </span>
      )}
      {fault !== undefined && (
        <span id={`${id}-fault`} class="fault">
          <Icon name="warn" /> {fault}
        </span>
      )}
    </div>
  );
}

/** A password that can be shown. */
export function PasswordField({ label, value, onChange, hint, fault, ...input }: FieldProps) {
  const id = useId();
  const isShown = useSignal(false);
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <div class="with-button">
        <input
          {...input}
          id={id}
          class="input"
          type={(isShown.value ? 'text' : 'password') as 'text'}
          value={value}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-about`}
          autocapitalize="none"
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        <button
          type="button"
          class="button plain small"
          aria-pressed={isShown.value}
          onClick={() => (isShown.value = !isShown.value)}
        >
          {t(isShown.value ? 'pages.hide' : 'pages.show')}
          <span class="sr-only"> {label}</span>
        </button>
      </div>
      <span
        id={`${id}-about`}
        class={fault === undefined ? 'hint' : 'fault'}
        hidden={fault === undefined && hint === undefined}
      >
        {fault ?? hint}
      </span>
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly of: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  readonly isLabelHidden?: boolean;
}

export function Select({ label, value, of, onChange, isLabelHidden }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id} class={isLabelHidden === true ? 'sr-only' : undefined}>
        {label}
      </label>
      <select id={id} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {of.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

export function SearchInput({ label, value, onChange }: Pick<FieldProps, 'label' | 'value' | 'onChange'>) {
  return (
    <div class="search-input">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

/** How long typing rests before what was typed counts. */
const REST_MS = 250;

/** A search that the server answers: reports what was typed once the typing rests. */
export function FilterInput({ label, value, onChange }: Pick<FieldProps, 'label' | 'value' | 'onChange'>) {
  const typed = useSignal(value);
  const reported = useRef(value);
  useEffect(() => {
    // What was reported comes back after more was typed, which counts.
    if (value !== reported.current && typed.value.trim() === reported.current) typed.value = reported.current = value;
  }, [value]);
  useEffect(() => {
    if (typed.value.trim() === value) return;
    const timer = setTimeout(() => onChange((reported.current = typed.value.trim())), REST_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return <SearchInput label={label} value={typed.value} onChange={(text) => (typed.value = text)} />;
}
