import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import {
  Answer,
  api,
  ApiError,
  Button,
  changed,
  Dialog,
  Panel,
  t,
  toast,
  toUnicode,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Ini = ReplyOf<'GET /api/php/sites/:domain/ini'>;
type Directive = Ini['directives'][number];
interface Fault {
  readonly line: number;
  readonly message: string;
}

interface IniDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** The php.ini of a domain, with what is wrong at which line, beside the directives that it may set. */
export function IniDialog({ name, onClose }: IniDialogProps) {
  const params = { domain: name };
  const ini = useQuery(`php.ini of ${name}`, (signal) => api('GET /api/php/sites/:domain/ini', { params, signal }));
  const typed = useSignal<string | undefined>(undefined);
  const faults = useSignal<readonly Fault[]>([]);
  const save = async () => {
    try {
      await api('PUT /api/php/sites/:domain/ini', { params, body: { content: typed.value ?? '' } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'invalid_php_ini') throw error;
      faults.value = error.body['errors'] as readonly Fault[];
      return;
    }
    toast(t('php.iniSaved', { name: toUnicode(name) }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('php.iniOf', { name: toUnicode(name) })}
      isLarge
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: typed.value === undefined || typed.value === ini.data?.content }}
    >
      <Answer of={ini} lines={10}>
        {({ content, directives }) => (
          <div class="grid halves">
            <Editor
              value={typed.value ?? content}
              onChange={(text) => {
                typed.value = text;
                faults.value = [];
              }}
              faults={faults.value}
            />
            <Directives of={directives} />
          </div>
        )}
      </Answer>
    </Dialog>
  );
}

interface EditorProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly faults: readonly Fault[];
}

function Editor({ value, onChange, faults }: EditorProps) {
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
      <label htmlFor={id}>{t('php.iniLines')}</label>
      <textarea
        ref={area}
        id={id}
        class="input editor"
        rows={16}
        maxLength={8192}
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
        {t('php.iniHint')}
      </span>
      <div id={`${id}-faults`}>
        {faults.length > 0 && (
          <Panel kind="bad" icon="warn" title={t('php.iniRefused')} isAlert>
            <ul class="stack tight">
              {faults.map(({ line, message }) => (
                <li key={line} class="wrap">
                  <Button kind="plain" isSmall onClick={() => select(line)}>
                    {t('php.iniLine', { line })}
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

function Directives({ of }: { readonly of: readonly Directive[] }) {
  return (
    <div
      class="table-frame"
      style={{ maxHeight: '60dvh', overflowY: 'auto' }}
      tabIndex={0}
      role="group"
      aria-label={t('php.directives')}
    >
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('php.directives')}</th>
            <th scope="col">{t('php.values')}</th>
          </tr>
        </thead>
        <tbody>
          {of.map((directive) => (
            <tr key={directive.name}>
              <td>
                <code>{directive.name}</code>
              </td>
              <td>{valuesOf(directive)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function valuesOf({ kind, smallest, largest, choices, example }: Directive): string {
  if (kind === 'flag') return 'on, off';
  // as they are written in the file, without separators of thousands
  if (kind === 'number') return t('php.range', { smallest: String(smallest), largest: String(largest) });
  if (choices !== undefined) return choices.map((each) => each || '""').join(', ');
  return t('php.example', { example: example ?? '' });
}
