import { useSignal } from '@preact/signals';
import { api, changed, Dialog, Field, Panel, Select, t, toast } from '../../pages/kit/index.ts';
import type { Plan, Plans } from './plan.ts';

type Limit = Plans['limits'][number];

interface PlanDialogProps {
  /** The plan to change; without it a new one is added. */
  readonly plan?: Plan;
  /** The plan on which a new one is based unless another is chosen. */
  readonly base?: Plan | undefined;
  /** All plans. */
  readonly plans: readonly Plan[];
  readonly limits: readonly Limit[];
  readonly onClose: () => void;
}

type Limits = Readonly<Record<string, string>>;

/** Adds or changes a plan. "Unlimited" is a box, because 0 says it to programs only. */
export function PlanDialog({ plan, base: firstBase, plans, limits: known, onClose }: PlanDialogProps) {
  const [name, description] = [useSignal(plan?.name ?? ''), useSignal((plan ?? firstBase)?.description ?? '')];
  const base = useSignal(firstBase);
  const limitsFrom = (from: Plan | undefined): Limits =>
    Object.fromEntries([
      ...known.map((each) => [each.name, String(each.default)] as const),
      // also those of plugins that are off at the moment
      ...Object.entries(from?.limits ?? {}).map(([limit, value]) => [limit, String(value)] as const),
    ]);
  const limits = useSignal(limitsFrom(plan ?? firstBase));
  const choose = (chosen: string) => {
    base.value = plans.find((each) => each.name === chosen);
    description.value = base.value?.description ?? '';
    limits.value = limitsFrom(base.value);
  };
  const save = async () => {
    const body = {
      description: description.value,
      limits: Object.fromEntries(Object.entries(limits.value).map(([limit, value]) => [limit, Number(value)])),
    };
    if (plan === undefined)
      await api('POST /api/plans', {
        body: { ...body, name: name.value.trim(), features: base.value?.features ?? [] },
      });
    else await api('PATCH /api/plans/:name', { params: { name: plan.name }, body });
    toast(t('plans.planSaved', { name: name.value }));
    changed();
    onClose();
  };
  const unlimited = known.filter((each) => limits.value[each.name] === '0');
  const isBad = Object.values(limits.value).some((value) => !/^\d+([.]\d+)?$/.test(value));
  return (
    <Dialog
      title={plan === undefined ? t('plans.addPlan') : t('plans.editPlan', { name: plan.name })}
      onClose={onClose}
      isLarge
      onSubmit={save}
      submit={{ text: t('pages.save'), isDisabled: name.value.trim() === '' || isBad }}
    >
      {plan === undefined && (
        <>
          <Field
            label={t('plans.planName')}
            hint={t('plans.planNameHint')}
            value={name.value}
            onChange={(text) => (name.value = text)}
            maxLength={32}
            autoFocus
          />
          <Select
            label={t('plans.basedOn')}
            value={base.value?.name ?? ''}
            of={[...plans.map((each) => [each.name, each.name] as const), ['', t('plans.basedOnNothing')]]}
            onChange={choose}
          />
          <p class="small soft">{t('plans.includes', { n: base.value?.features.length ?? 0 })}</p>
        </>
      )}
      <Field label={t('plans.description')} value={description.value} onChange={(text) => (description.value = text)} />
      <div class="limits">
        {known.map((each) => (
          <LimitField
            key={each.name}
            limit={each}
            value={limits.value[each.name] ?? ''}
            onChange={(value) => void (limits.value = { ...limits.value, [each.name]: value })}
          />
        ))}
      </div>
      {plan === undefined && unlimited.length > 0 && (
        <Panel kind="warn" icon="warn" title={t('plans.unlimitedWarning')}>
          <p>{unlimited.map(({ title }) => title).join(', ')}</p>
        </Panel>
      )}
    </Dialog>
  );
}

function LimitField(props: {
  readonly limit: Limit;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const { limit, value, onChange } = props;
  const { title, unit } = limit;
  const label = unit === '' ? title : t('plans.limitIn', { title, unit });
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
