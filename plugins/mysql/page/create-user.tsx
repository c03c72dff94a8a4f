import { useSignal } from '@preact/signals';
import { api, Choices, Dialog, Select, t, toastError, type ReplyOf } from '../../pages/kit/index.ts';
import { levelChoices, LEVELS, type Level } from './levels.ts';
import { faultIn, NameField } from './name-field.tsx';
import type { Secret } from './user-secret.tsx';

interface CreateUserProps {
  readonly databases: ReplyOf<'GET /api/databases'>;
  readonly onClose: () => void;
  readonly onMade: (secret: Secret) => void;
}

/** Makes a user, with rights on one database if one is chosen. */
export function CreateUser({ databases: { databases, prefix }, onClose, onMade }: CreateUserProps) {
  const name = useSignal('');
  const database = useSignal(databases[0] ?? '');
  const level = useSignal<Level>('all');
  const typed = name.value.trim();
  const fault = faultIn(typed, prefix, []);
  const create = async () => {
    const secret = await api('POST /api/database-users', { body: { name: typed } });
    if (database.value !== '')
      await api('PUT /api/database-users/:user/databases/:database', {
        params: { user: secret.name, database: database.value },
        body: { host: secret.host, privileges: [...LEVELS[level.value]] },
      }).catch(toastError); // the user is made, and its password must be shown
    onMade(secret);
  };
  return (
    <Dialog
      title={t('mysql.createUser')}
      onClose={onClose}
      onSubmit={create}
      submit={{ text: t('mysql.createUser'), isDisabled: typed === '' || fault !== undefined }}
    >
      <NameField name={name} prefix={prefix} fault={fault} />
      <Select
        label={t('mysql.database')}
        value={database.value}
        of={[...databases.map((each) => [each, each] as const), ['', t('mysql.noAccess')]]}
        onChange={(next) => (database.value = next)}
      />
      {database.value !== '' && (
        <Choices
          label={t('mysql.access')}
          of={levelChoices()}
          value={level.value}
          onChange={(next) => (level.value = next)}
        />
      )}
    </Dialog>
  );
}
