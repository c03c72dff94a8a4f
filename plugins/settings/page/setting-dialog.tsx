import { useSignal } from '@preact/signals';
import {
  api,
  changed,
  ConfirmDialog,
  Dialog,
  sendRemoval,
  t,
  toast,
  withProof,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import { asTyped, typedValue, ValueField, type ValueSchema } from './value-field.tsx';

export type Setting = ReplyOf<'GET /api/settings'>['settings'][number];

export const schemaIn = ({ schema }: Setting): ValueSchema => schema as ValueSchema;

interface DialogProps {
  readonly setting: Setting;
  readonly onClose: () => void;
}

/** Does what changes a setting, and has the list read again, also if another administrator was first. */
async function changing(act: () => Promise<unknown>): Promise<void> {
  try {
    await withProof(act);
  } finally {
    changed();
  }
}

/** Asks for the value of a setting. */
export function SettingDialog({ setting, onClose }: DialogProps) {
  const { setting: name, etag: ifMatch } = setting;
  const schema = schemaIn(setting);
  const before = asTyped(setting.value, schema);
  const typed = useSignal(before);
  const save = async () => {
    const body = { value: typedValue(typed.value, schema) };
    await changing(() => api('PUT /api/settings/:setting', { params: { setting: name }, body, ifMatch }));
    toast(t('settings.changed', { name }));
    onClose();
  };
  return (
    <Dialog
      title={t('settings.editOne', { name })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: typed.value === before }}
    >
      {schema.description !== undefined && <p class="soft">{schema.description}</p>}
      <ValueField
        label={t('settings.value')}
        schema={schema}
        value={typed.value}
        onChange={(text) => (typed.value = text)}
      />
      {'default' in schema && (
        <p class="small soft wrap">
          {t('settings.default')}: <code>{shown(schema.default)}</code>
        </p>
      )}
      <p class="small soft">{t('settings.tried')}</p>
    </Dialog>
  );
}

/** Asks whether a setting is to be that of the files again. */
export function ResetDialog({ setting: { setting: name, etag: ifMatch }, onClose }: DialogProps) {
  const reset = async () => {
    await changing(() => sendRemoval('DELETE /api/settings/:setting', { params: { setting: name }, ifMatch }));
    toast(t('settings.wasReset', { name }));
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('settings.resetOne', { name })}
      action={t('settings.reset')}
      onConfirm={reset}
      onClose={onClose}
    >
      <p>{t('settings.resetAbout')}</p>
    </ConfirmDialog>
  );
}

/** Returns a value as lists show it. */
export function shown(value: unknown): string {
  if (value === null || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
