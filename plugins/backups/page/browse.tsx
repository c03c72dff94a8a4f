import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import {
  actionsColumn,
  Answer,
  api,
  attempt,
  Button,
  bytes,
  Card,
  CursorPaging,
  dateTime,
  Empty,
  Icon,
  saveAs,
  t,
  Table,
  Time,
  transfer,
  useQuery,
  type Column,
} from '../../pages/kit/index.ts';
import type { Backup, Entry } from './replies.ts';
import { RestoreActions } from './restore-actions.tsx';

interface BrowseProps {
  readonly backup: Backup;
  /** Relative to the root; empty for the root. */
  readonly folder: string;
  readonly onFolder: (folder: string) => void;
  readonly onLeave: () => void;
  readonly onRestore: (path: string) => void;
}

/** A folder of a backup. */
export function Browse({ backup, folder, onFolder, onLeave, onRestore }: BrowseProps) {
  const { id } = backup;
  const cursors = useMemo(() => signal<readonly string[]>(['']), [id, folder]);
  const cursor = cursors.value.at(-1) ?? '';
  const listing = useQuery(`backup ${id} ${folder} ${cursor}`, (abort) =>
    api('GET /api/backups/:id/files', { params: { id }, query: { path: folder, cursor, limit: 200 }, signal: abort }),
  );
  const below = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  const save = async ({ name }: Entry) =>
    saveAs(
      name,
      await transfer(`/api/backups/${id}/content?path=${encodeURIComponent(below(name))}`, { method: 'GET' }),
    );
  return (
    <Card isFlush>
      <div class="card-head">
        <Way folder={folder} at={dateTime(new Date(backup.created_at))} onFolder={onFolder} onLeave={onLeave} />
      </div>
      <Answer of={listing} lines={8}>
        {({ entries, next_cursor: next }) =>
          entries.length === 0 ? (
            <Empty icon="folder" title={t('backups.empty')} />
          ) : (
            <>
              <Table
                caption={t('backups.filesOf', { at: dateTime(new Date(backup.created_at)) })}
                columns={columns({
                  onOpen: ({ name }) => onFolder(below(name)),
                  onSave: (entry) => void attempt(() => save(entry)),
                  onRestore: ({ name }) => onRestore(below(name)),
                })}
                rows={entries}
                keyOf={({ name }) => name}
              />
              <CursorPaging cursors={cursors} next={next} />
            </>
          )
        }
      </Answer>
    </Card>
  );
}

type WayProps = Pick<BrowseProps, 'folder' | 'onFolder' | 'onLeave'> & { readonly at: string };

/** The way from the list of backups to the folder. */
function Way({ folder, at, onFolder, onLeave }: WayProps) {
  const names = folder.split('/').filter(Boolean);
  const steps = [
    { text: t('backups.title'), go: onLeave },
    { text: at, go: () => onFolder('') },
    ...names.map((name, i) => ({ text: name, go: () => onFolder(names.slice(0, i + 1).join('/')) })),
  ];
  return (
    <nav class="crumbs" aria-label={t('backups.way')}>
      <ol>
        {steps.map(({ text, go }, i) => (
          <li key={i}>
            {i > 0 && <Icon name="right" />}
            {i === steps.length - 1 ? (
              <span class="wrap" aria-current="location">
                {text}
              </span>
            ) : (
              <Button isSmall kind="plain" onClick={go}>
                {text}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

type Act = (entry: Entry) => void;
interface Acts {
  readonly onOpen: Act;
  readonly onSave: Act;
  readonly onRestore: Act;
}

const ICONS = { folder: 'folder', link: 'link', file: 'file', other: 'file' } as const;

function columns({ onOpen, onSave, onRestore }: Acts): readonly Column<Entry>[] {
  return [
    {
      name: 'name',
      title: t('backups.name'),
      cell: (entry) => (
        <span class="entry-name">
          <Icon name={ICONS[entry.kind as keyof typeof ICONS]} />
          {entry.kind === 'folder' ? (
            <Button isSmall kind="plain" onClick={() => onOpen(entry)}>
              <span class="wrap">{entry.name}</span>
            </Button>
          ) : (
            <span class="wrap">{entry.name}</span>
          )}
        </span>
      ),
    },
    {
      name: 'size',
      title: t('backups.size'),
      cell: ({ kind, size_bytes: size }) => kind === 'file' && <span class="number">{bytes(size)}</span>,
    },
    { name: 'changed', title: t('backups.changed'), cell: ({ modified_at: at }) => <Time at={at} /> },
    actionsColumn((entry) => (
      <RestoreActions
        name={entry.name}
        onSave={entry.kind === 'file' ? () => onSave(entry) : undefined}
        onRestore={() => onRestore(entry)}
      />
    )),
  ];
}
