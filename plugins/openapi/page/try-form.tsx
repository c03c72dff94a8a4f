import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import {
  Badge,
  Button,
  changed,
  CopyButton,
  errorText,
  Field,
  Panel,
  refreshSession,
  Select,
  t,
} from '../../pages/kit/index.ts';
import { curlCommand } from './curl.ts';
import type { Operation, Parameter } from './document.ts';
import { Prose } from './prose.tsx';
import { send, type Input, type Received } from './request.ts';
import { typeText } from './schema-view.tsx';

interface TryFormProps {
  readonly operation: Operation;
  readonly token: string;
}
interface Attempt {
  readonly isBusy: boolean;
  readonly received?: Received;
  readonly error?: unknown;
}

/** Sends an operation as the session that is there, and writes it as a command. */
export function TryForm({ operation, token }: TryFormProps) {
  const { parameters = [], requestBody, method } = operation;
  const example = requestBody?.content['application/json']?.example;
  const values = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(
      parameters.map(({ name, required, schema }) => [name, required ? String(schema.examples?.[0] ?? '') : '']),
    ),
  );
  const body = useSignal(JSON.stringify(example ?? {}, undefined, 2));
  const withToken = useSignal(false);
  const attempt = useSignal<Attempt>({ isBusy: false });
  const abort = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const input: Input = { values: values.value, body: body.value, token };
  const run = async (event: Event) => {
    event.preventDefault();
    if (attempt.value.isBusy) return abort.current?.abort();
    revoke(attempt.value.received);
    abort.current = new AbortController();
    attempt.value = { isBusy: true };
    try {
      await send(operation, input, abort.current.signal, (received) => (attempt.value = { isBusy: true, received }));
      attempt.value = { ...attempt.value, isBusy: false };
    } catch (error) {
      const isStopped = abort.current.signal.aborted;
      attempt.value = { ...attempt.value, isBusy: false, ...(!isStopped && { error }) };
    }
    if (method === 'GET') return;
    await refreshSession();
    changed();
  };
  const command = curlCommand(operation, input, withToken.value && token !== '');
  return (
    <form class="stack" onSubmit={run} noValidate>
      {parameters.map((each) => (
        <ParameterField
          key={each.name}
          parameter={each}
          value={values.value[each.name] ?? ''}
          onChange={(value) => (values.value = { ...values.value, [each.name]: value })}
        />
      ))}
      {requestBody !== undefined && <BodyField value={body.value} onChange={(text) => (body.value = text)} />}
      <div class="row">
        <Button type="submit" kind={method === 'DELETE' ? 'danger' : 'primary'} icon="send">
          {t(attempt.value.isBusy ? 'openapi.stop' : 'openapi.send')}
        </Button>
        {token !== '' && (
          <label class="row small">
            <input
              type="checkbox"
              checked={withToken.value}
              onChange={(event) => void (withToken.value = event.currentTarget.checked)}
            />
            {t('openapi.commandWithToken')}
          </label>
        )}
      </div>
      <div class="copyable">
        <pre class="code" aria-label={t('openapi.command')}>
          {command}
        </pre>
        <CopyButton text={command} what={t('openapi.command')} />
      </div>
      <div role="status">
        {attempt.value.received && <ReceivedView received={attempt.value.received} />}
        {attempt.value.error !== undefined && (
          <Panel kind="bad" icon="warn" title={t('pages.error.unreachable')}>
            <p class="wrap">{errorText(attempt.value.error)}</p>
          </Panel>
        )}
      </div>
    </form>
  );
}

function ParameterField(props: {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { name, required, description, schema } = props.parameter;
  const label = required ? `${name} (${t('openapi.required')})` : name;
  if (schema.enum !== undefined) {
    const of = [...new Set(['', ...schema.enum.map(String)])].map((each) => [each, each === '' ? '–' : each] as const);
    return <Select label={label} value={props.value} of={of} onChange={props.onChange} />;
  }
  const shown = String(schema.default ?? schema.examples?.[0] ?? '');
  return (
    <Field
      placeholder={shown}
      label={label}
      hint={<Prose text={[typeText(schema), description].filter(Boolean).join(' · ')} />}
      value={props.value}
      onChange={props.onChange}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
    />
  );
}

function BodyField({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{t('openapi.body')}</label>
      <textarea
        id={id}
        class="input mono"
        rows={Math.min(16, value.split('\n').length + 1)}
        spellcheck={false}
        autocapitalize="none"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}

function ReceivedView({ received: { status, headers, text, picture, isCut } }: { readonly received: Received }) {
  return (
    <div class="stack tight">
      <p class="row">
        <Badge tone={status < 400 ? 'good' : 'bad'}>{status}</Badge>
        <span class="small soft wrap">{headers.map((each) => each.join(': ')).join(' · ')}</span>
      </p>
      {picture !== undefined && <img class="received" src={picture} alt={t('openapi.picture')} />}
      {text !== '' && (
        <pre class="code" tabIndex={0} aria-label={t('openapi.reply')}>
          {indented(text)}
        </pre>
      )}
      {isCut && <p class="small soft">{t('openapi.cut')}</p>}
    </div>
  );
}

/** Returns JSON as people read it, and anything else as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text; // it is no JSON, and shown as it is
  }
}

function revoke(received: Received | undefined): void {
  if (received?.picture !== undefined) URL.revokeObjectURL(received.picture);
}
