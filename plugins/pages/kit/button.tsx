import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { t } from './text/i18n.ts';

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly kind?: 'plain' | 'primary' | 'danger' | undefined;
  readonly isSmall?: boolean;
  readonly isBad?: boolean;
  readonly icon?: IconName;
  /** Describes the action of a button that shows an icon only, or whose text does not name its object. */
  readonly label?: string;
  readonly type?: 'button' | 'submit';
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly isExpanded?: boolean;
  readonly isPressed?: boolean;
  readonly onClick?: (event: MouseEvent) => void | Promise<void>;
}

export function Button({
  children,
  kind,
  isSmall,
  isBad,
  icon,
  label,
  type,
  isBusy,
  isDisabled,
  ...rest
}: ButtonProps) {
  const classes = ['button', kind, isSmall && 'small', isBad && 'bad', children === undefined && 'only-icon'];
  return (
    <button
      class={classes.filter(Boolean).join(' ')}
      type={type ?? 'button'}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-expanded={rest.isExpanded}
      aria-pressed={rest.isPressed}
      aria-disabled={isBusy}
      disabled={isDisabled}
      onClick={(event) => (isBusy ? event.preventDefault() : void rest.onClick?.(event))}
    >
      {isBusy ? <span class="spin" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A small button in a row of a table or a list: an icon, whose label says what it does to which object. */
export function IconButton(
  props: Pick<ButtonProps, 'isBad' | 'isBusy' | 'isDisabled' | 'onClick'> &
    Required<Pick<ButtonProps, 'icon' | 'label'>>,
) {
  return <Button kind="plain" isSmall {...props} />;
}

/** Copies a text, and says in place whether the browser allowed it. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const state = useSignal<'copied' | 'failed' | undefined>(undefined);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      state.value = 'copied';
      setTimeout(() => (state.value = undefined), 2000);
    } catch {
      state.value = 'failed'; // refused, or without TLS not there; the button says so
    }
  };
  const isCopied = state.value === 'copied';
  const label = t(isCopied ? 'pages.copied' : 'pages.copy', { what });
  return (
    <>
      <Button kind="plain" isSmall icon={isCopied ? 'check' : 'copy'} label={label} onClick={copy} />
      {state.value === 'failed' && (
        <span class="small soft" role="alert">
          {t('pages.notCopied')}
        </span>
      )}
    </>
  );
}

/** A text of one line, beside the button that copies it. */
export function TextToCopy({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <p class="row">
      <code class="wrap">{text}</code>
      <CopyButton text={text} what={what} />
    </p>
  );
}

/** One of a few choices, all in sight. */
export function Choices<T extends string>(props: {
  readonly label: string;
  readonly of: readonly (readonly [T, string])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}) {
  return (
    <div class="choices" role="group" aria-label={props.label}>
      {props.of.map(([value, text]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {text}
        </button>
      ))}
    </div>
  );
}
