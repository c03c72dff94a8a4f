import { useId } from 'preact/hooks';
import { Field, number, Select, t } from '../../pages/kit/index.ts';

/** The keywords of JSON Schema that decide how a value is asked for. */
export interface ValueSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: ValueSchema;
  readonly anyOf?: readonly ValueSchema[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly description?: string;
  readonly default?: unknown;
}

type Kind = 'boolean' | 'choice' | 'number' | 'text' | 'list' | 'json';

/** Returns the values that a schema lists; `undefined` if it takes others as well. */
function choicesIn({ enum: all, anyOf = [] }: ValueSchema): readonly unknown[] | undefined {
  if (all !== undefined) return all;
  return anyOf.length > 0 && anyOf.every((each) => 'const' in each) ? anyOf.map((each) => each.const) : undefined;
}

function kindOf(schema: ValueSchema): Kind {
  if (schema.type === 'boolean') return 'boolean';
  if (choicesIn(schema) !== undefined) return 'choice';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'string') return 'text';
  return schema.type === 'array' && schema.items?.type === 'string' ? 'list' : 'json';
}

/** Returns a value as the field shows it. */
export function asTyped(value: unknown, schema: ValueSchema): string {
  const kind = kindOf(schema);
  if (value === null || value === undefined) return '';
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  return kind === 'json' || typeof value !== 'string' ? JSON.stringify(value) : value;
}

/** Returns the value that was typed; a text that is none of the right type stays one, so that the server says what is wrong. */
export function typedValue(text: string, schema: ValueSchema): unknown {
  const kind = kindOf(schema);
  if (kind === 'list') return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (kind === 'text') return text;
  if (kind === 'choice') return choicesIn(schema)?.find((each) => asTyped(each, schema) === text) ?? text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // which the server refuses, and says why
  }
}

interface ValueFieldProps {
  readonly label: string;
  readonly schema: ValueSchema;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Asks for a value as its schema describes it. */
export function ValueField({ label, schema, value, onChange }: ValueFieldProps) {
  const kind = kindOf(schema);
  const given = { label, value, onChange };
  if (kind === 'boolean')
    return (
      <Select
        {...given}
        of={[
          ['true', t('settings.yes')],
          ['false', t('settings.no')],
        ]}
      />
    );
  if (kind === 'choice')
    return <Select {...given} of={(choicesIn(schema) ?? []).map((each) => pair(asTyped(each, schema)))} />;
  if (kind === 'list') return <Lines {...given} />;
  const hint = [boundsText(schema), kind === 'json' && t('settings.json')].filter(Boolean).join(' ');
  return (
    <Field
      {...given}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      {...(kind === 'number' && { inputMode: schema.type === 'integer' ? 'numeric' : 'decimal' })}
      {...(hint !== '' && { hint })}
    />
  );
}

const pair = (text: string): readonly [string, string] => [text, text === '' ? '–' : text];

function boundsText({ type, minimum, maximum, maxLength }: ValueSchema): string {
  if (type === 'string') return maxLength === undefined ? '' : t('settings.upToCharacters', { n: maxLength });
  if (minimum !== undefined && maximum !== undefined)
    return t('settings.between', { least: number(minimum), most: number(maximum) });
  if (minimum !== undefined) return t('settings.atLeast', { least: number(minimum) });
  return maximum === undefined ? '' : t('settings.atMost', { most: number(maximum) });
}

function Lines({ label, value, onChange }: Omit<ValueFieldProps, 'schema'>) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        class="input"
        rows={5}
        spellcheck={false}
        autocapitalize="none"
        aria-describedby={`${id}-hint`}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} class="hint">
        {t('settings.lines')}
      </span>
    </div>
  );
}
