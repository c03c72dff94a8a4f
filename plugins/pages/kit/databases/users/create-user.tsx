import { useSignal } from '@preact/signals';
import { Choices, Dialog, Select, t, toastError } from '../../index.ts';
import type { DatabaseEngine, Level, ListedDatabases, UserWithPassword } from '../engine.ts';
import { faultIn, NameField } from '../name-field.tsx';
import { FromWhereField, hostIn, isUsable, type FromWhere } from './from-where.tsx';
import { levelChoices } from './levels.ts';

interface CreateUserProps {
  readonly engine: DatabaseEngine;
  readonly databases: ListedDatabases;
  readonly onClose: () => void;
  readonly onMade: (secret: UserWithPassword) => void;
}

/** Makes a user, with rights on one database if one is chosen. */
export function CreateUser({ engine, databases: { databases, prefix }, onClose, onMade }: CreateUserProps) {
  const name = useSignal('');
  const database = useSignal('');
  const level = useSignal<Level>('all');
  const from = useSignal<FromWhere>({ place: 'here', address: '' });
  const typed = name.value.trim();
  const fault = faultIn(typed, prefix, []);
  const create = async () => {
    const secret = await engine.createUser(typed, hostIn(from.value));
    if (database.value !== '') await engine.setAccess(secret, database.value, level.value).catch(toastError); // the user is made, and its password must be shown
    onMade(secret);
  };
  return (
    <Dialog
      title={t('pages.db.createUser')}
      onClose={onClose}
      onSubmit={create}
      submit={{
        text: t('pages.db.createUser'),
        isDisabled: typed === '' || fault !== undefined || !isUsable(from.value),
      }}
    >
      <NameField name={name} prefix={prefix} fault={fault} />
      <Select
        label={t('pages.db.database')}
        value={database.value}
        of={[['', t('pages.db.noAccess')], ...databases.map((each) => [each.name, each.name] as const)]}
        onChange={(next) => (database.value = next)}
      />
      {database.value !== '' && (
        <Choices
          label={t('pages.db.access')}
          of={levelChoices()}
          value={level.value}
          onChange={(next) => (level.value = next)}
        />
      )}
      {engine.mayChooseHost() ? <FromWhereField from={from} /> : <p class="small soft">{t(engine.texts.hostAbout)}</p>}
    </Dialog>
  );
}
