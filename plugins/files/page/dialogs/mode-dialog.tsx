import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, t, toast } from '../../../pages/kit/index.ts';
import type { Entry } from '../place.ts';

const WHO = ['owner', 'group', 'others'] as const;
const WHAT = [
  ['read', 4],
  ['write', 2],
  ['run', 1],
] as const;

interface ModeProps {
  readonly folder: string;
  readonly entry: Entry;
  readonly onClose: () => void;
}

/** Permissions as boxes and as the number that people know from elsewhere. */
export function ModeDialog({ folder, entry, onClose }: ModeProps) {
  const before = entry.mode.slice(-3);
  const mode = useSignal(before);
  const isMode = /^[0-7]{3}$/.test(mode.value);
  const digit = (who: number) => Number(mode.value[who] ?? 0);
  const turn = (who: number, bit: number) =>
    void (mode.value = [0, 1, 2].map((each) => digit(each) ^ (each === who ? bit : 0)).join(''));
  const set = async (to: string) => {
    await api('PUT /api/files/mode', { body: { path: `${folder}/${entry.name}`, mode: to } });
    changed();
  };
  const save = async () => {
    await set(mode.value);
    toast(t('files.modeSet', { name: entry.name, mode: mode.value }), () => set(before));
    onClose();
  };
  return (
    <Dialog
      title={t('files.modeOne', { name: entry.name })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: !isMode || mode.value === before }}
    >
      <Field
        label={t('files.modeNumber')}
        hint={t('files.modeHint')}
        value={mode.value}
        onChange={(value) => (mode.value = value.trim())}
        fault={isMode ? undefined : t('files.modeFault')}
        inputMode="numeric"
        maxLength={3}
        autocomplete="off"
      />
      {WHO.map((who, i) => (
        <fieldset key={who}>
          <legend>{t(`files.mode.${who}`)}</legend>
          <div class="row">
            {WHAT.map(([what, bit]) => (
              <label key={what} class="row">
                <input
                  type="checkbox"
                  class="choose"
                  checked={(digit(i) & bit) !== 0}
                  disabled={!isMode}
                  onChange={() => turn(i, bit)}
                />
                {t(what === 'run' && entry.kind === 'folder' ? 'files.mode.enter' : `files.mode.${what}`)}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
    </Dialog>
  );
}
