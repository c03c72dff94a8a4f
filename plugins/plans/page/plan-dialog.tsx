import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, t, toast } from '../../pages/kit/index.ts';
import { LIMITS, type Limit } from '../../pages/kit/index.ts';
import type { Plan } from './plan.ts';

interface PlanDialogProps {
  /** The initial plan. */
  readonly plan?: Plan;
  readonly isClone?: boolean;
  readonly onClose: () => void;
}

/** Adds, clones or changes a plan. "Unlimited" is a box, because 0 says it to programs only. */
export function PlanDialog({ plan, isClone, onClose }: PlanDialogProps) {
  const isNew = plan === undefined || isClone === true;
  const [name, description] = [useSignal(isNew ? '' : plan.name), useSignal(plan?.description ?? '')];
  const limits = useSignal<Readonly<Record<Limit, string>>>(
    Object.fromEntries(LIMITS.map((each) => [each, String(plan?.[each] ?? 0)])) as Record<Limit, string>,
  );
  const save = async () => {
    const body = {
      description: description.value,
      ...(Object.fromEntries(LIMITS.map((each) => [each, Number(limits.value[each])])) as Record<Limit, number>),
    };
    if (isNew)
      await api('POST /api/plans', {
        body: { ...body, name: name.value.trim(), ...(plan && { features: plan.features }) },
      });
    else await api('PATCH /api/plans/:name', { params: { name: plan.name }, body });
    toast(t('plans.planSaved', { name: name.value }));
    changed();
    onClose();
  };
  const isBad = LIMITS.some((each) => !/^\d+([.]\d+)?$/.test(limits.value[each]));
  return (
    <Dialog
      title={isNew ? t('plans.addPlan') : t('plans.editPlan', { name: plan.name })}
      onClose={onClose}
      isLarge
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: name.value.trim() === '' || isBad }}
    >
      {isNew && (
        <Field
          label={t('plans.planName')}
          value={name.value}
          onChange={(text) => (name.value = text)}
          maxLength={64}
          autoFocus
        />
      )}
      <Field label={t('plans.description')} value={description.value} onChange={(text) => (description.value = text)} />
      <div class="limits">
        {LIMITS.map((each) => (
          <LimitField
            key={each}
            limit={each}
            value={limits.value[each]}
            onChange={(value) => void (limits.value = { ...limits.value, [each]: value })}
          />
        ))}
      </div>
    </Dialog>
  );
}

function LimitField(props: {
  readonly limit: Limit;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { limit, value, onChange } = props;
  const label = t(`plans.limit.${limit}`);
  const isUnlimited = value === '0';
  return (
    <div class="limit">
      <Field
        label={label}
        value={isUnlimited ? '' : value}
        onChange={onChange}
        inputMode="decimal"
        readOnly={isUnlimited}
      />
      <label class="row small">
        <input
          type="checkbox"
          checked={isUnlimited}
          onChange={(event) => onChange(event.currentTarget.checked ? '0' : '1')}
        />
        {t('plans.unlimited')} <span class="sr-only">{label}</span>
      </label>
    </div>
  );
}
