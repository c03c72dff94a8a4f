import { useSignal, type Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import {
  Answer,
  ApiError,
  Button,
  changed,
  CopyButton,
  Dialog,
  Panel,
  send,
  t,
  toast,
  transfer,
  useQuery,
} from '../../../pages/kit/index.ts';
import { contentPath, type Entry } from '../place.ts';

interface EditorProps {
  readonly folder: string;
  readonly entry: Entry;
  readonly onClose: () => void;
}
interface Content {
  /** `undefined` where the bytes are no text. */
  readonly text: string | undefined;
  /** The line ending, which a text area does not keep. */
  readonly ending: '\n' | '\r\n';
  readonly etag: string;
}

/** Edits a text file; one that somebody else changed meanwhile is not overwritten, and the text stays to be copied. */
export function Editor({ folder, entry, onClose }: EditorProps) {
  const path = `${folder}/${entry.name}`;
  const saved = useSignal<Content | undefined>(undefined);
  const typed = useSignal<string | undefined>(undefined);
  const isStale = useSignal(false);
  // By the path alone: what changed() asks for again must not replace what is being typed.
  const opened = useQuery(`content ${path}`, async (signal) => saved.value ?? load(path, signal, saved));
  const before = saved.value?.text;
  const isChanged = typed.value !== undefined && typed.value !== before;
  const save = async () => {
    if (saved.value === undefined || typed.value === undefined) return;
    const text = typed.value;
    const body = new Blob([saved.value.ending === '\n' ? text : text.replaceAll('\n', '\r\n')]);
    try {
      const reply = await transfer(contentPath(path), {
        method: 'PUT',
        body,
        headers: { 'If-Match': saved.value.etag },
      });
      const { etag } = JSON.parse(await reply.text()) as { etag: string };
      saved.value = { ...saved.value, text, etag };
      toast(t('files.wasSaved', { name: entry.name }));
      changed();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) throw error;
      isStale.value = true;
    }
  };
  return (
    <Dialog
      title={entry.name}
      isLarge
      isKept={isChanged}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: !isChanged || isStale.value }}
    >
      <Answer of={opened} lines={8}>
        {({ text }) =>
          text === undefined ? (
            <Panel kind="warn" icon="warn" title={t('files.notText')} />
          ) : (
            <TextArea
              label={t('files.contentOf', { name: entry.name })}
              value={typed.value ?? text}
              onChange={(next) => (typed.value = next)}
            />
          )
        }
      </Answer>
      {isStale.value && (
        <Panel kind="warn" icon="warn" title={t('files.changedMeanwhile')} isAlert>
          <p class="row">
            {t('files.changedAbout')}
            <CopyButton text={typed.value ?? ''} what={t('files.text')} />
          </p>
        </Panel>
      )}
      {isChanged && (
        <div class="row">
          <span class="soft">{t('files.unsaved')}</span>
          <Button isSmall kind="plain" isBad onClick={onClose}>
            {t('files.discard')}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

async function load(path: string, signal: AbortSignal, saved: Signal<Content | undefined>): Promise<Content> {
  const response = await send(contentPath(path), { signal });
  const text = decoded(await response.arrayBuffer());
  const ending = text?.includes('\r\n') === true ? '\r\n' : '\n';
  const etag = response.headers.get('ETag') ?? '';
  return (saved.value = { text: text?.replaceAll('\r\n', '\n'), ending, etag });
}

/** Returns the text of bytes; `undefined` if they are not UTF-8, or hold what no text does. */
function decoded(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextArea({ label, value, onChange }: TextAreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id} class="sr-only">
        {label}
      </label>
      <textarea
        id={id}
        class="input editor"
        value={value}
        rows={20}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="none"
        wrap="off"
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </div>
  );
}
