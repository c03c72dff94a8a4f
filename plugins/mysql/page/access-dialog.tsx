import { useSignal } from '@preact/signals';
import { api, changed, Choices, Dialog, Select, t, toast, type ReplyOf } from '../../pages/kit/index.ts';
import { levelChoices, levelIn, LEVELS, type Level } from './levels.ts';

interface AccessDialogProps {
  readonly user: ReplyOf<'GET /api/database-users'>[number];
  readonly databases: ReplyOf<'GET /api/databases'>;
  readonly onClose: () => void;
}

/** Sets what a user may do in one database. */
export function AccessDialog({ user: { name, host, access }, databases, onClose }: AccessDialogProps) {
  const all = databases.databases;
  const database = useSignal(all.find((each) => !access.some((has) => has.database === each)) ?? all[0] ?? '');
  const has = access.find((each) => each.database === database.value)?.privileges ?? [];
  const level = useSignal<Level>(levelIn(has) ?? 'all');
  const set = async () => {
    await api('PUT /api/database-users/:user/databases/:database', {
      params: { user: name, database: database.value },
      body: { host, privileges: [...LEVELS[level.value]] },
    });
    toast(t('mysql.accessWasSet', { name, database: database.value }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('mysql.accessOne', { name })}
      onClose={onClose}
      onSubmit={set}
      submit={{ text: t('mysql.setAccess'), isDisabled: database.value === '' }}
    >
      {all.length === 0 ? (
        <p>{t('mysql.databaseFirst')}</p>
      ) : (
        <Select
          label={t('mysql.database')}
          value={database.value}
          of={all.map((each) => [each, each] as const)}
          onChange={(next) => (database.value = next)}
        />
      )}
      <Choices
        label={t('mysql.access')}
        of={levelChoices()}
        value={level.value}
        onChange={(next) => (level.value = next)}
      />
    </Dialog>
  );
}
