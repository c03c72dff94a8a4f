import { signal, useSignal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import {
  Answer,
  api,
  attempt,
  Button,
  Card,
  CursorPaging,
  Empty,
  ErrorPanel,
  fileRemover,
  lastName,
  Panel,
  parentFolder,
  Parts,
  t,
  TabbedHead,
  useAddressState,
  useQuery,
  type Order,
} from '../../pages/kit/index.ts';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { EntryDialog, type Open } from './entry-dialog.tsx';
import { EntryTable, type OnAct } from './entry-table.tsx';
import { isTextByName, pictureType, type Entry, type Listing } from './place.ts';
import { repair } from './tasks/repair.ts';
import TaskList from './tasks/task-list.tsx';
import { download } from './transfers/download.ts';
import { TransferList } from './transfers/transfer-list.tsx';
import { UploadButtons, useDropping } from './transfers/upload-buttons.tsx';

const PAGE_ENTRIES = 200;
/** Pages of a folder in which a file is looked for to which a link leads. */
const SEARCHED_PAGES = 50;

interface Shown extends Listing {
  /** The cursors up to the page on which the wanted file stands. */
  readonly cursors: readonly string[];
}

export default function FilesPage() {
  const [{ file, folder, sort }, set] = useAddressState('file', 'folder', 'sort');
  const path = file === '' ? folder : parentFolder(file);
  const order = { by: sort.replace('-', '') || 'name', isDescending: sort.startsWith('-') };
  const root = useQuery('files root', (abort) => api('GET /api/files', { query: { limit: 1 }, signal: abort }));
  const cursors = useMemo(() => signal<readonly string[]>(['']), [path, sort, file]);
  const chosen = useMemo(() => signal<ReadonlyMap<string, Entry>>(new Map()), [path]);
  const open = useSignal<Open | undefined>(undefined);
  const listing = useQuery(`files ${path} ${sort} ${file} ${cursors.value.join(' ')}`, (abort) =>
    ask(path, order, cursors.value, lastName(file), abort),
  );
  const { data: shown, error } = listing;
  useEffect(() => {
    if (shown !== undefined && shown.cursors.length > cursors.value.length) cursors.value = shown.cursors;
  }, [shown]);
  const isDropping = useDropping(shown?.path);
  const act: OnAct = (what, entry) => {
    const at = `${shown?.path ?? ''}/${entry.name}`;
    if (what === 'download') void attempt(() => download(shown?.path ?? '', [entry]));
    else if (what === 'repair') void attempt(() => repair(at));
    else if (what === 'remove') void attempt(async () => fileRemover()?.([at]));
    else if (what === 'open')
      open.value = {
        what: isTextByName(entry) && pictureType(entry) === undefined ? 'edit' : 'details',
        entries: [entry],
      };
    else open.value = { what, entries: [entry] };
  };
  return (
    <>
      <TabbedHead of="/files">
        <UploadButtons folder={shown?.path} onNewFolder={() => void (open.value = { what: 'new', entries: [] })} />
      </TabbedHead>
      <div class="stack">
        <TransferList />
        <Parts of="/files" />
        <TaskList />
        <div class={isDropping ? 'dropping' : undefined}>
          <Card isFlush>
            <div class="card-head">
              <Breadcrumbs root={root.data?.path ?? path} path={shown?.path ?? path} isParent={file !== ''} />
              {shown && <span class="small soft">{t('files.count', { n: shown.total })}</span>}
            </div>
            {error?.code === 'folder_not_found' && shown === undefined ? (
              <Panel kind="warn" icon="warn" title={t('files.missing', { path })} />
            ) : (
              <Answer of={listing} lines={8}>
                {(page) => (
                  <Entries
                    page={page}
                    wanted={lastName(file)}
                    file={file}
                    chosen={chosen}
                    order={order}
                    onSort={(next) => set({ sort: `${next.isDescending ? '-' : ''}${next.by}` })}
                    onAct={act}
                    onAll={(what) => void (open.value = { what, entries: [...chosen.value.values()] })}
                    cursors={cursors}
                  />
                )}
              </Answer>
            )}
            {shown !== undefined && error !== undefined && <ErrorPanel error={error} onRetry={listing.reload} />}
          </Card>
        </div>
      </div>
      {open.value && shown && (
        <EntryDialog
          open={open}
          root={root.data?.path ?? shown.path}
          folder={shown.path}
          onAct={act}
          onMoved={() => void (chosen.value = new Map())}
        />
      )}
    </>
  );
}

/** Asks for a page of a folder; for a file to which a link leads, for the page on which it stands. */
async function ask(
  path: string,
  order: Order,
  cursors: readonly string[],
  wanted: string,
  abort: AbortSignal,
): Promise<Shown> {
  const query = {
    path,
    limit: PAGE_ENTRIES,
    sort: order.by as 'name',
    order: order.isDescending ? ('desc' as const) : ('asc' as const),
  };
  const at = (cursor: string) => api('GET /api/files', { query: { ...query, cursor }, signal: abort });
  const first = { ...(await at(cursors.at(-1) ?? '')), cursors };
  if (wanted === '' || cursors.length > 1) return first;
  let page: Shown = first;
  while (!page.entries.some(({ name }) => name === wanted)) {
    if (page.next_cursor === null || page.cursors.length === SEARCHED_PAGES) return first;
    page = { ...(await at(page.next_cursor)), cursors: [...page.cursors, page.next_cursor] };
  }
  return page;
}

interface EntriesProps {
  readonly page: Shown;
  readonly wanted: string;
  readonly file: string;
  readonly chosen: Signal<ReadonlyMap<string, Entry>>;
  readonly order: Order;
  readonly onSort: (order: Order) => void;
  readonly onAct: OnAct;
  readonly onAll: (what: 'move' | 'copy' | 'compress') => void;
  readonly cursors: Signal<readonly string[]>;
}

function Entries({ page, wanted, file, chosen, order, onSort, onAct, onAll, cursors }: EntriesProps) {
  const { path, entries, next_cursor: next } = page;
  return (
    <>
      {wanted !== '' && cursors.value.length === 1 && !entries.some(({ name }) => name === wanted) && (
        <Panel kind="warn" icon="warn" title={t('files.missing', { path: file })} />
      )}
      {page.truncated && <Panel icon="info" title={t('files.truncated')} />}
      {chosen.value.size > 0 && <BulkBar folder={path} chosen={chosen} onAll={onAll} />}
      {page.total === 0 ? (
        <Empty icon="folder" title={t('files.none')}>
          {t('files.noneAbout')}
        </Empty>
      ) : (
        <EntryTable
          folder={path}
          entries={entries}
          wanted={wanted}
          chosen={chosen}
          order={order}
          onSort={onSort}
          onAct={onAct}
        />
      )}
      <CursorPaging cursors={cursors} next={next} />
    </>
  );
}

interface BulkBarProps {
  readonly folder: string;
  readonly chosen: Signal<ReadonlyMap<string, Entry>>;
  readonly onAll: (what: 'move' | 'copy' | 'compress') => void;
}

/** Says what is chosen, and does it to all of it. */
function BulkBar({ folder, chosen, onAll }: BulkBarProps) {
  const all = [...chosen.value.values()];
  const pathTo = ({ name }: Entry) => `${folder}/${name}`;
  const forget = () => void (chosen.value = new Map());
  const label = t('files.chosen', { n: all.length });
  const removeFiles = fileRemover();
  return (
    <div class="bulk-bar" role="group" aria-label={label}>
      <span>{label}</span>
      <Button isSmall icon="download" onClick={() => attempt(() => download(folder, all))}>
        {t('files.act.download')}
      </Button>
      <Button isSmall icon="folder" onClick={() => onAll('move')}>
        {t('files.act.move')}
      </Button>
      <Button isSmall icon="copy" onClick={() => onAll('copy')}>
        {t('files.act.copy')}
      </Button>
      <Button isSmall icon="box" onClick={() => onAll('compress')}>
        {t('files.act.compress')}
      </Button>
      {removeFiles && (
        <Button
          isSmall
          icon="trash"
          onClick={() =>
            attempt(async () => {
              await removeFiles(all.map(pathTo));
              forget();
            })
          }
        >
          {t('files.act.remove')}
        </Button>
      )}
      <Button isSmall kind="plain" onClick={forget}>
        {t('files.chooseNone')}
      </Button>
    </div>
  );
}
