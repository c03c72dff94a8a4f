import {
  Answer,
  api,
  changed,
  CheckedLines,
  Dialog,
  t,
  toast,
  toUnicode,
  useCheckedLines,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Ini = ReplyOf<'GET /api/php/sites/:domain/ini'>;
type Directive = Ini['directives'][number];

interface IniDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** The php.ini of a domain, with what is wrong at which line, beside the directives that it may set. */
export function IniDialog({ name, onClose }: IniDialogProps) {
  const params = { domain: name };
  const ini = useQuery(`php.ini of ${name}`, (signal) => api('GET /api/php/sites/:domain/ini', { params, signal }));
  const { text, isChanged, faults, change, save: saveLines } = useCheckedLines(ini.data?.content, 'invalid_php_ini');
  const save = async () => {
    if (!(await saveLines((content) => api('PUT /api/php/sites/:domain/ini', { params, body: { content } })))) return;
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
      submit={{ text: t('pages.save'), isDisabled: !isChanged }}
    >
      <Answer of={ini} lines={10}>
        {({ directives }) => (
          <div class="grid halves">
            <CheckedLines
              label={t('php.iniLines')}
              hint={t('php.iniHint')}
              mostCharacters={8192}
              value={text}
              onChange={change}
              faults={faults}
            />
            <Directives of={directives} />
          </div>
        )}
      </Answer>
    </Dialog>
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
