import { useSignal } from '@preact/signals';
import { changed, Choices, Dialog, Select, t, toast } from '../../index.ts';
import type { DatabaseEngine, Level, ListedDatabases, ListedUser } from '../engine.ts';
import { levelChoices } from './levels.ts';

interface AccessDialogProps {
  readonly engine: DatabaseEngine;
  readonly user: ListedUser & { readonly label: string };
  readonly databases: ListedDatabases;
  readonly onClose: () => void;
}

/** Sets what a user may do in one database. */
export function AccessDialog({ engine, user, databases, onClose }: AccessDialogProps) {
  const { label: name, access } = user;
  const all = databases.databases.map((each) => each.name);
  const database = useSignal(all.find((each) => !access.some((has) => has.database === each)) ?? all[0] ?? '');
  const has = access.find((each) => each.database === database.value)?.level ?? 'all';
  const level = useSignal<Level>(has === 'other' ? 'all' : has);
  const set = async () => {
    await engine.setAccess(user, database.value, level.value);
    toast(t('pages.db.accessWasSet', { name, database: database.value }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('pages.db.accessOne', { name })}
      onClose={onClose}
      onSubmit={set}
      submit={{ text: t('pages.db.setAccess'), isDisabled: database.value === '' }}
    >
      {all.length === 0 ? (
        <p>{t('pages.db.databaseFirst')}</p>
      ) : (
        <Select
          label={t('pages.db.database')}
          value={database.value}
          of={all.map((each) => [each, each] as const)}
          onChange={(next) => (database.value = next)}
        />
      )}
      <Choices
        label={t('pages.db.access')}
        of={levelChoices()}
        value={level.value}
        onChange={(next) => (level.value = next)}
      />
    </Dialog>
  );
}
