import type { Extension, Text } from '@codemirror/state';
import { useSignal, type Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import {
  Answer,
  ApiError,
  Button,
  changed,
  CopyButton,
  Dialog,
  loadModule,
  Panel,
  send,
  t,
  toast,
  transfer,
  useQuery,
} from '../../../pages/kit/index.ts';
import { contentPath, type Entry } from '../place.ts';
import { phrases } from './phrases.ts';

interface EditorProps {
  readonly folder: string;
  readonly entry: Entry;
  readonly onClose: () => void;
}
interface Content {
  /** `undefined` where the bytes are no text. */
  readonly document: Text | undefined;
  /** The end of each line of the file. */
  readonly ending: '\n' | '\r\n';
  readonly code: typeof import('./code-editor.ts');
  readonly language: Extension;
}
/** The content of the file as this page knows it. */
interface Saved {
  readonly document: Text;
  readonly etag: string;
}

/** Edits a text file; one that somebody else changed meanwhile is not overwritten, and the text stays to be copied. */
export function Editor({ folder, entry, onClose }: EditorProps) {
  const path = `${folder}/${entry.name}`;
  const loaded = useSignal<Content | undefined>(undefined);
  const saved = useSignal<Saved | undefined>(undefined);
  const typed = useSignal<Text | undefined>(undefined);
  const isStale = useSignal(false);
  // By the path alone: what changed() asks for again must not replace what is being typed.
  const opened = useQuery(`content ${path}`, async (signal) => loaded.value ?? load(path, signal, loaded, saved));
  const isChanged = typed.value !== undefined && saved.value?.document.eq(typed.value) === false;
  const save = async () => {
    if (loaded.value === undefined || saved.value === undefined || typed.value === undefined) return;
    const document = typed.value;
    const body = new Blob([document.sliceString(0, document.length, loaded.value.ending)]);
    try {
      const reply = await transfer(contentPath(path), {
        method: 'PUT',
        body,
        headers: { 'If-Match': saved.value.etag },
      });
      const { etag } = JSON.parse(await reply.text()) as { etag: string };
      saved.value = { document, etag };
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
        {(content) =>
          content.document === undefined ? (
            <Panel kind="warn" icon="warn" title={t('files.notText')} />
          ) : (
            <Code
              name={entry.name}
              document={content.document}
              of={content}
              onChange={(next) => (typed.value = next)}
            />
          )
        }
      </Answer>
      {isStale.value && (
        <Panel kind="warn" icon="warn" title={t('files.changedMeanwhile')} isAlert>
          <p class="row">
            {t('files.changedAbout')}
            <CopyButton text={typed.value?.toString() ?? ''} what={t('files.text')} />
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

async function load(
  path: string,
  signal: AbortSignal,
  loaded: Signal<Content | undefined>,
  saved: Signal<Saved | undefined>,
): Promise<Content> {
  const [response, code] = await Promise.all([
    send(contentPath(path), { signal }),
    loadModule(() => import('./code-editor.ts')),
  ]);
  const text = decoded(await response.arrayBuffer());
  const language = await code.languageByName(path);
  // A file whose lines end in both ways is kept as it is: the editor shows its carriage returns.
  const isWindows = text?.includes('\r\n') === true && !/(^|[^\r])\n/.test(text);
  const ending = isWindows ? '\r\n' : '\n';
  const document = text === undefined ? undefined : code.documentWith(text.split(ending));
  if (document !== undefined) saved.value = { document, etag: response.headers.get('ETag') ?? '' };
  return (loaded.value = { document, ending, code, language });
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

interface CodeProps {
  readonly name: string;
  readonly document: Text;
  readonly of: Content;
  readonly onChange: (document: Text) => void;
}

/** The editor itself, which takes the focus: the file was opened to be edited. */
function Code({ name, document, of: { code, language }, onChange }: CodeProps) {
  const host = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const view = code.openCodeEditor({
      parent: host.current,
      document,
      language,
      label: t('files.contentOf', { name }),
      hint: t('files.leaveEditor'),
      phrases: phrases(),
      onChange,
      onSave: () => host.current?.closest('form')?.requestSubmit(),
    });
    view.focus();
    return () => view.destroy();
  }, []);
  return (
    <div class="field">
      <div ref={host} class="editor" />
      <p class="small soft">{t('files.leaveEditor')}</p>
    </div>
  );
}
