import { useSignal } from '@preact/signals';
import { Answer, api, changed, Dialog, Select, t, toast, useQuery, type ReplyOf } from '../../pages/kit/index.ts';

export type TextSettings = ReplyOf<'GET /api/database-settings'>['databases'][number];

interface CollationDialogProps {
  readonly database: TextSettings;
  readonly onClose: () => void;
}

/** Sets the character set and the collation of a database. */
export function CollationDialog({ database: { name, ...before }, onClose }: CollationDialogProps) {
  const collations = useQuery('database-collations', (signal) => api('GET /api/database-collations', { signal }));
  const set = useSignal(before.character_set);
  const collation = useSignal(before.collation);
  const save = async () => {
    await api('PUT /api/databases/:database/collation', {
      params: { database: name },
      body: { collation: collation.value },
    });
    toast(t('mysql-conf.collationSet', { name, collation: collation.value }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('mysql-conf.collationOne', { name })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: collation.value === before.collation }}
    >
      <p class="soft">{t('mysql-conf.collationAbout')}</p>
      <Answer of={collations} lines={3}>
        {(all) => (
          <>
            <Select
              label={t('mysql-conf.characterSet')}
              value={set.value}
              of={[...new Set(all.map((each) => each.character_set))].map((each) => [each, each] as const)}
              onChange={(next) => {
                const own = all.filter((each) => each.character_set === next);
                set.value = next;
                collation.value = (own.find((each) => each.is_default) ?? own[0])?.collation ?? '';
              }}
            />
            <Select
              label={t('mysql-conf.collation')}
              value={collation.value}
              of={all
                .filter((each) => each.character_set === set.value)
                .map((each) => [each.collation, each.collation] as const)}
              onChange={(next) => (collation.value = next)}
            />
          </>
        )}
      </Answer>
    </Dialog>
  );
}
