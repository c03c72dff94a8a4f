import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, number, t, toast, type ReplyOf } from '../../pages/kit/index.ts';

const MIB = 2 ** 20;

interface LimitsDialogProps {
  readonly details: ReplyOf<'GET /api/docker-containers/:id'>;
  readonly onClose: () => void;
}

/** Changes what a container may use. */
export function LimitsDialog({ details, onClose }: LimitsDialogProps) {
  const { id, name, memory_bytes, processors, most_memory_mib, most_processors } = details;
  const memory = useSignal(memory_bytes === 0 ? '' : String(Math.round(memory_bytes / MIB)));
  const share = useSignal(processors === 0 ? '' : String(processors));
  const hint = (most: number) => (most === 0 ? undefined : t('container-control.most', { most: number(most, 2) }));
  const save = async () => {
    const body = {
      ...(memory.value.trim() !== '' && { memory_mib: Number(memory.value) }),
      ...(share.value.trim() !== '' && { processors: Number(share.value.replace(',', '.')) }),
    };
    await api('PATCH /api/docker-containers/:id/limits', { params: { id }, body });
    toast(t('container-control.limited', { name }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('container-control.limitsOf', { name })}
      onClose={onClose}
      onSubmit={save}
      submit={{
        text: t('container-control.save'),
        isDisabled: memory.value.trim() === '' && share.value.trim() === '',
      }}
    >
      <p class="soft">{t('container-control.limitsAbout')}</p>
      <Field
        label={t('container-control.memoryMib')}
        inputMode="numeric"
        value={memory.value}
        onChange={(text) => (memory.value = text)}
        hint={hint(most_memory_mib)}
      />
      <Field
        label={t('container-control.processorsNumber')}
        inputMode="decimal"
        value={share.value}
        onChange={(text) => (share.value = text)}
        hint={hint(most_processors)}
      />
    </Dialog>
  );
}
