import { useSignal } from '@preact/signals';
import {
  api,
  changed,
  ConfirmDialog,
  Dialog,
  Field,
  ofNode,
  Select,
  sendRemoval,
  t,
  toast,
} from '../../pages/kit/index.ts';
import { boundsText, type Variable } from './variable-text.ts';

interface VariableDialogProps {
  readonly server: string;
  readonly variable: Variable;
  readonly onClose: () => void;
}

/** Asks for the value of a variable. */
export function VariableDialog({ server, variable, onClose }: VariableDialogProps) {
  const { name, value: before, kind, choices } = variable;
  const typed = useSignal(before);
  const field = { label: t('mysql-conf.value'), value: typed.value, onChange: (text: string) => (typed.value = text) };
  const save = async () => {
    await api('PUT /api/database-variables/:server/:variable', {
      params: { server, variable: name },
      query: ofNode(),
      body: { value: typed.value.trim() },
    });
    toast(t('mysql-conf.wasSet', { name }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('mysql-conf.changeOne', { name })}
      onClose={onClose}
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: typed.value.trim() === before }}
    >
      {kind === 'choice' ? (
        <Select {...field} of={choices.map((each) => [each, each] as const)} />
      ) : (
        <Field
          {...field}
          hint={kind === 'choices' ? choices.join(', ') : boundsText(variable)}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      )}
      <p class="small soft">{t('mysql-conf.setAbout')}</p>
    </Dialog>
  );
}

/** Asks whether a variable is to have the value of the server's files again. */
export function ResetVariable({ server, variable: { name, files_value: value }, onClose }: VariableDialogProps) {
  const reset = async () => {
    await sendRemoval('DELETE /api/database-variables/:server/:variable', {
      params: { server, variable: name },
      query: ofNode(),
    });
    toast(t('mysql-conf.wasReset', { name }));
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('mysql-conf.resetOne', { name })}
      action={t('mysql-conf.reset')}
      onConfirm={reset}
      onClose={onClose}
    >
      <p class="wrap">{t('mysql-conf.resetAbout', { value: value ?? '' })}</p>
    </ConfirmDialog>
  );
}
