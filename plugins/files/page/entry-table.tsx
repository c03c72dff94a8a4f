import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import {
  actionsColumn,
  Button,
  bytes,
  fileRemover,
  Icon,
  mayUse,
  send,
  t,
  Table,
  timeColumn,
  toastError,
  type Column,
  type IconName,
  type Order,
} from '../../pages/kit/index.ts';
import type { Act } from './dialogs/details.tsx';
import { linkToPath, pictureType, type Entry } from './place.ts';

/** Features of which one lets an account measure folders; their route is of another plugin. */
const SIZES = ['disk_usage', 'inodes'];

export type OnAct = (act: Act | 'details' | 'open', entry: Entry) => void;

interface EntryTableProps {
  readonly folder: string;
  readonly entries: readonly Entry[];
  /** Name of the entry to which the address leads; empty for none. */
  readonly wanted: string;
  readonly chosen: Signal<ReadonlyMap<string, Entry>>;
  readonly order: Order;
  readonly onSort: (order: Order) => void;
  readonly onAct: OnAct;
}

export function EntryTable({ folder, entries, wanted, chosen, order, onSort, onAct }: EntryTableProps) {
  const frame = useRef<HTMLDivElement>(null);
  const columns: readonly Column<Entry>[] = [
    choiceColumn(entries, chosen),
    {
      name: 'name',
      title: t('files.name'),
      by: ({ name }) => name,
      cell: (entry) => <Name folder={folder} entry={entry} isWanted={entry.name === wanted} onAct={onAct} />,
    },
    {
      name: 'size',
      title: t('files.size'),
      by: ({ size_bytes: size }) => size,
      cell: ({ kind, name, size_bytes: size }) =>
        kind === 'file' ? (
          <span class="number">{bytes(size)}</span>
        ) : (
          kind === 'folder' && mayUse(SIZES) && <FolderSize path={`${folder}/${name}`} name={name} />
        ),
    },
    timeColumn('modified', t('files.modified'), ({ modified_at: at }) => at),
    { name: 'mode', title: t('files.mode'), cell: ({ mode }) => <code>{mode}</code> },
    actionsColumn((entry) => <Actions entry={entry} onAct={onAct} />),
  ];
  return (
    <div ref={frame} onKeyDown={(event) => press(event, entries, frame.current, onAct)}>
      <Table
        caption={t('files.in', { path: folder })}
        columns={columns}
        rows={entries}
        keyOf={({ name }) => name}
        isWanted={({ name }) => name === wanted}
        server={{ order, onSort }}
      />
    </div>
  );
}

function choiceColumn(entries: readonly Entry[], chosen: Signal<ReadonlyMap<string, Entry>>): Column<Entry> {
  const areAll = entries.every(({ name }) => chosen.value.has(name));
  const choose = (some: readonly Entry[], isChosen: boolean) => {
    const next = new Map(chosen.value);
    for (const each of some)
      if (isChosen) next.set(each.name, each);
      else next.delete(each.name);
    chosen.value = next;
  };
  return {
    name: 'choose',
    title: '',
    head: (
      <input
        type="checkbox"
        class="choose"
        aria-label={t('files.chooseAll')}
        checked={areAll}
        onChange={() => choose(entries, !areAll)}
      />
    ),
    cell: (entry) => (
      <input
        type="checkbox"
        class="choose"
        aria-label={t('files.chooseOne', { name: entry.name })}
        checked={chosen.value.has(entry.name)}
        onChange={(event) => choose([entry], event.currentTarget.checked)}
      />
    ),
  };
}

/** Moves between names with the arrow keys, renames with F2, and removes with Delete, as file managers do. */
function press(event: KeyboardEvent, entries: readonly Entry[], frame: HTMLElement | null, onAct: OnAct): void {
  const names = [...(frame?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])];
  const at = names.findIndex((each) => each.closest('tr')?.contains(document.activeElement) === true);
  const entry = entries[at];
  if (entry === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: names.length - 1,
  };
  const step = steps[event.key];
  if (step !== undefined) names[step]?.focus();
  else if (event.key === 'F2') onAct('rename', entry);
  else if (event.key === 'Delete') onAct('remove', entry);
  else return;
  event.preventDefault();
}

interface NameProps {
  readonly folder: string;
  readonly entry: Entry;
  readonly isWanted: boolean;
  readonly onAct: OnAct;
}

function iconFor(entry: Entry): IconName {
  if (entry.kind === 'folder') return 'folder';
  if (entry.kind === 'link') return 'link';
  return pictureType(entry) === undefined ? 'file' : 'picture';
}

function Name({ folder, entry, isWanted, onAct }: NameProps) {
  const line = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (isWanted) line.current?.scrollIntoView({ block: 'center' });
  }, [isWanted]);
  const { name, kind } = entry;
  return (
    <span class="entry-name" ref={line}>
      <Icon name={iconFor(entry)} />
      {kind === 'folder' ? (
        <a data-entry class="wrap" href={linkToPath('folder', `${folder}/${name}`)}>
          {name}
        </a>
      ) : (
        <button data-entry type="button" class="as-link wrap" onClick={() => onAct('open', entry)}>
          {name}
        </button>
      )}
    </span>
  );
}

/** The buttons of a row; all else that can be done with an entry stands in its details. */
const ROW_ACTS = [
  { act: 'download', icon: 'download', label: 'files.downloadOne' },
  { act: 'rename', icon: 'edit', label: 'files.renameOne' },
  { act: 'details', icon: 'info', label: 'files.detailsOf' },
  { act: 'remove', icon: 'trash', label: 'files.removeOne' },
] as const;

function isOffered(act: (typeof ROW_ACTS)[number]['act'], kind: Entry['kind']): boolean {
  if (act === 'remove') return fileRemover() !== undefined;
  return act !== 'download' || kind === 'file' || kind === 'folder';
}

function Actions({ entry, onAct }: { readonly entry: Entry; readonly onAct: OnAct }) {
  const { name, kind } = entry;
  return (
    <span class="row nowrap">
      {ROW_ACTS.filter(({ act }) => isOffered(act, kind)).map(({ act, icon, label }) => (
        <Button
          key={act}
          kind="plain"
          isSmall
          isBad={act === 'remove'}
          icon={icon}
          label={t(label, { name })}
          onClick={() => onAct(act, entry)}
        />
      ))}
    </span>
  );
}

/** The size of a folder, measured when asked for: that may take a while. */
function FolderSize({ path, name }: { readonly path: string; readonly name: string }) {
  const state = useSignal<{ readonly isBusy: boolean; readonly size?: string }>({ isBusy: false });
  const measure = async () => {
    state.value = { isBusy: true };
    try {
      const reply = await send(`/api/directory-size?folder=${encodeURIComponent(path)}`);
      state.value = { isBusy: false, size: ((await reply.json()) as { size: string }).size };
    } catch (error) {
      state.value = { isBusy: false };
      toastError(error);
    }
  };
  const { size, isBusy } = state.value;
  if (size !== undefined) return <span class="number">{size}</span>;
  return (
    <Button kind="plain" isSmall isBusy={isBusy} label={t('files.sizeOf', { name })} onClick={measure}>
      {t('files.size')}
    </Button>
  );
}
