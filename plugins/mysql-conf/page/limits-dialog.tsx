import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, number, t, toast, type ReplyOf } from '../../pages/kit/index.ts';

type Settings = ReplyOf<'GET /api/database-settings'>;
export type UserSettings = Settings['users'][number];
type Name = keyof UserSettings['limits'];

export const LIMITS = [
  ...(['connections', 'statement_seconds', 'queries_per_hour', 'updates_per_hour', 'connections_per_hour'] as const),
] satisfies readonly Name[];

interface LimitsDialogProps {
  readonly user: UserSettings;
  /** Connections that the plan allows; 0 = unlimited. */
  readonly most: number;
  readonly onClose: () => void;
}

/** Sets all limits of a user. */
export function LimitsDialog({ user: { name, host, limits }, most, onClose }: LimitsDialogProps) {
  const typed = useSignal<Readonly<Record<Name, string>>>(by((each) => String(Math.max(0, Math.round(limits[each])))));
  const faultIn = (each: Name): string | undefined => {
    if (!/^\d{1,9}$/.test(typed.value[each])) return t('mysql-conf.wholeNumber');
    return isBeyond(each) ? t('mysql-conf.most', { n: number(most) }) : undefined;
  };
  const isBeyond = (each: Name) => each === 'connections' && most > 0 && Number(typed.value[each]) > most;
  const save = async () => {
    const body = { host, ...by((each) => Number(typed.value[each])) };
    await api('PUT /api/database-users/:user/limits', { params: { user: name }, body });
    toast(t('mysql-conf.limitsSet', { name }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('mysql-conf.limitsOne', { name })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: LIMITS.some((each) => faultIn(each) !== undefined) }}
    >
      <p class="soft">{t('mysql-conf.limitsAbout')}</p>
      {LIMITS.map((each) => (
        <Field
          key={each}
          label={t(`mysql-conf.limit.${each}`)}
          value={typed.value[each]}
          inputMode="numeric"
          autocomplete="off"
          {...hintFor(each, most)}
          fault={faultIn(each)}
          onChange={(value) => (typed.value = { ...typed.value, [each]: value.trim() })}
        />
      ))}
    </Dialog>
  );
}

function hintFor(each: Name, most: number) {
  if (each === 'statement_seconds') return { hint: t('mysql-conf.secondsHint') };
  return each === 'connections' && most > 0 ? { hint: t('mysql-conf.most', { n: number(most) }) } : {};
}

const by = <T,>(value: (name: Name) => T): Readonly<Record<Name, T>> =>
  Object.fromEntries(LIMITS.map((name) => [name, value(name)])) as Readonly<Record<Name, T>>;
