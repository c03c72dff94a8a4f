import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  api,
  at,
  Button,
  Card,
  Empty,
  ErrorPanel,
  Field,
  Panel,
  Skeleton,
  t,
  TabbedHead,
  useAddressState,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';

type Found = ReplyOf<'GET /api/content-search'>;
type Asked = Readonly<Record<'text' | 'folder' | 'ending' | 'case', string>>;

const ENDED = {
  files: 'content-search.endedByFiles',
  bytes: 'content-search.endedByBytes',
  time: 'content-search.endedByTime',
} as const;

export default function SearchPage() {
  const [asked, set] = useAddressState('text', 'folder', 'ending', 'case');
  return (
    <>
      <TabbedHead of="/files" />
      <div class="stack">
        <SearchForm asked={asked} onAsk={set} />
        {asked.text !== '' && <Results asked={asked} onCancel={() => set({ text: '' })} />}
      </div>
    </>
  );
}

function SearchForm({ asked, onAsk }: { readonly asked: Asked; readonly onAsk: (next: Asked) => void }) {
  const typed = useSignal(asked);
  useEffect(() => void (typed.value = asked), [JSON.stringify(asked)]);
  const type = (next: Partial<Asked>) => void (typed.value = { ...typed.value, ...next });
  const plain = { autocapitalize: 'none', autocomplete: 'off', spellcheck: false } as const;
  return (
    <Card>
      <form
        class="stack"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          onAsk(typed.value);
        }}
      >
        <Field
          {...plain}
          label={t('content-search.text')}
          hint={t('content-search.textHint')}
          maxLength={200}
          value={typed.value.text}
          onChange={(text) => type({ text })}
        />
        <Field
          {...plain}
          label={t('content-search.folder')}
          hint={t('content-search.folderHint')}
          value={typed.value.folder}
          onChange={(folder) => type({ folder })}
        />
        <Field
          {...plain}
          label={t('content-search.ending')}
          hint={t('content-search.endingHint')}
          maxLength={50}
          value={typed.value.ending}
          onChange={(ending) => type({ ending })}
        />
        <label class="row">
          <input
            type="checkbox"
            checked={typed.value.case === 'same'}
            onChange={({ currentTarget }) => type({ case: currentTarget.checked ? 'same' : '' })}
          />
          <span class="wrap">{t('content-search.case')}</span>
        </label>
        <div class="row">
          <Button type="submit" kind="primary" icon="search" isDisabled={typed.value.text === ''}>
            {t('content-search.search')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Results({ asked, onCancel }: { readonly asked: Asked; readonly onCancel: () => void }) {
  const { text, folder, ending } = asked;
  const found = useQuery(`content ${JSON.stringify(asked)}`, (signal) => {
    const isSame = asked.case === 'same';
    return api('GET /api/content-search', {
      query: { text, path: folder, ending, case: isSame ? 'same' : 'ignored' },
      signal,
    });
  });
  if (found.isLoading)
    return (
      <Card>
        <div class="card-head">
          <p class="soft" role="status">
            {t('content-search.running')}
          </p>
          <Button isSmall kind="plain" icon="close" onClick={onCancel}>
            {t('content-search.cancel')}
          </Button>
        </div>
        <Skeleton lines={3} />
      </Card>
    );
  if (found.error !== undefined) return <ErrorPanel error={found.error} onRetry={found.reload} />;
  return found.data === undefined ? null : <Listing found={found.data} />;
}

function Listing({ found }: { readonly found: Found }) {
  const { files, searched, left_out: leftOut, ended_by: endedBy } = found;
  const counted = t('content-search.searched', { n: searched });
  return (
    <Card>
      <p class="soft">{leftOut === 0 ? counted : `${counted}, ${t('content-search.leftOut', { n: leftOut })}`}</p>
      {endedBy !== null && <Panel kind="warn" icon="info" title={t(ENDED[endedBy as keyof typeof ENDED])} />}
      {files.length === 0 ? (
        <Empty icon="search" title={t('content-search.none')} />
      ) : (
        <ul class="stack">
          {files.map(({ path, lines, has_more: hasMore }) => (
            <li key={path} class="stack tight">
              <a class="wrap" href={`${at('/files')}#${new URLSearchParams([['file', path]])}`}>
                <code>{path}</code>
              </a>
              {lines.map(({ line, before, found: text, after }) => (
                <p key={line} class="small">
                  <span class="soft number">{line}</span>{' '}
                  <code class="wrap">
                    {before}
                    <mark>{text}</mark>
                    {after}
                  </code>
                </p>
              ))}
              {hasMore && <p class="small soft">{t('content-search.more')}</p>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
