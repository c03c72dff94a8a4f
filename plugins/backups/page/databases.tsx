import { useSignal } from '@preact/signals';
import {
  actionsColumn,
  Answer,
  api,
  attempt,
  bytes,
  Card,
  changed,
  ConfirmDialog,
  dateTime,
  Field,
  saveAs,
  t,
  Table,
  textOr,
  toast,
  transfer,
  useQuery,
  type Column,
} from '../../pages/kit/index.ts';
import type { Backup, Database } from './replies.ts';
import { RestoreActions } from './restore-actions.tsx';

/** A database of a backup. */
export interface DatabaseOf {
  readonly backup: Backup;
  readonly database: Database;
}
interface DatabasesProps {
  readonly backup: Backup;
  readonly onRestore: (database: Database) => void;
}

const engineName = (engine: string): string => textOr(`backups.engine.${engine}`, engine);
const paramsOf = ({ backup, database: { engine, name } }: DatabaseOf) => ({ id: backup.id, engine, database: name });

/** The databases of a backup; nothing where it has none. */
export function Databases({ backup, onRestore }: DatabasesProps) {
  const { id } = backup;
  const listing = useQuery(`backup databases ${id}`, (signal) =>
    api('GET /api/backups/:id/databases', { params: { id }, signal }),
  );
  if (listing.data?.databases.length === 0) return null;
  const save = async (database: Database) => {
    const params = paramsOf({ backup, database });
    const at = [params.engine, params.database].map(encodeURIComponent).join('/');
    saveAs(`${database.name}.sql`, await transfer(`/api/backups/${id}/databases/${at}/content`, { method: 'GET' }));
  };
  return (
    <Card title={t('backups.databases')} isFlush>
      <Answer of={listing} lines={3}>
        {({ databases }) => (
          <Table
            caption={t('backups.databasesOf', { at: dateTime(new Date(backup.created_at)) })}
            columns={columns((database) => void attempt(() => save(database)), onRestore)}
            rows={databases}
            keyOf={({ engine, name }) => `${engine} ${name}`}
          />
        )}
      </Answer>
    </Card>
  );
}

type Act = (database: Database) => void;

function columns(onSave: Act, onRestore: Act): readonly Column<Database>[] {
  return [
    {
      name: 'name',
      title: t('backups.name'),
      cell: ({ engine, name, problem }) => (
        <span class="stack tight">
          <span class="wrap">{name || t('backups.allOf', { engine: engineName(engine) })}</span>
          <span class="small soft wrap">
            {problem === null ? engineName(engine) : t('backups.missing', { reason: problem })}
          </span>
        </span>
      ),
    },
    {
      name: 'size',
      title: t('backups.size'),
      cell: ({ problem, size_bytes: size }) => problem === null && <span class="number">{bytes(size)}</span>,
    },
    actionsColumn(
      (database) =>
        database.problem === null && (
          <RestoreActions name={database.name} onSave={() => onSave(database)} onRestore={() => onRestore(database)} />
        ),
    ),
  ];
}

/** Asks which database takes what is in a backup, as it replaces what is there. */
export function RestoreDatabase({ what, onClose }: { readonly what: DatabaseOf; readonly onClose: () => void }) {
  const at = dateTime(new Date(what.backup.created_at));
  const into = useSignal(what.database.name);
  const restore = async () => {
    const path = 'POST /api/backups/:id/databases/:engine/:database/restore';
    await api(path, { params: paramsOf(what), query: { into: into.value.trim() } });
    changed();
    toast(t('backups.restoringDatabase'));
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('backups.restoreOne', { name: what.database.name, at })}
      action={t('backups.restore')}
      onConfirm={restore}
      onClose={onClose}
    >
      <p>{t('backups.replaces')}</p>
      <Field
        label={t('backups.into')}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
        hint={t('backups.intoHint')}
        value={into.value}
        onChange={(value) => void (into.value = value)}
      />
    </ConfirmDialog>
  );
}
