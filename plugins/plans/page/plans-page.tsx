import { useSignal } from '@preact/signals';
import {
  Answer,
  ask,
  Button,
  Card,
  changed,
  ConfirmDialog,
  fillPath,
  IconButton,
  limitText,
  PageHead,
  sendRemoval,
  t,
  toast,
  useQuery,
} from '../../pages/kit/index.ts';
import { readPlans, type Plan, type Plans } from './plan.ts';
import { CompareDialog } from './compare-dialog.tsx';
import { PlanDialog } from './plan-dialog.tsx';

type Shown =
  { readonly action: 'edit' | 'clone' | 'remove'; readonly plan: Plan } | { readonly action: 'add' | 'compare' };

export default function PlansPage() {
  const plans = useQuery('plans', readPlans);
  const shown = useSignal<Shown | undefined>(undefined);
  const close = () => void (shown.value = undefined);
  const dialog = shown.value;
  const known = { plans: plans.data?.plans ?? [], limits: plans.data?.limits ?? [] };
  return (
    <>
      <PageHead title={t('plans.plans')} about={t('plans.plansAbout')}>
        <Button
          icon="grid"
          isDisabled={(plans.data?.plans.length ?? 0) < 2}
          onClick={() => void (shown.value = { action: 'compare' })}
        >
          {t('plans.compare')}
        </Button>
        <Button
          kind="primary"
          icon="plus"
          isDisabled={plans.data === undefined}
          onClick={() => void (shown.value = { action: 'add' })}
        >
          {t('plans.addPlan')}
        </Button>
      </PageHead>
      <Answer of={plans} lines={8}>
        {({ plans: all }) => (
          <div class="grid">
            {all.map((plan) => (
              <PlanCard
                key={plan.name}
                plan={plan}
                limits={known.limits}
                onAction={(action) => void (shown.value = { action, plan })}
              />
            ))}
          </div>
        )}
      </Answer>
      {dialog?.action === 'compare' && <CompareDialog {...known} onClose={close} />}
      {dialog?.action === 'edit' && <PlanDialog plan={dialog.plan} {...known} onClose={close} />}
      {dialog?.action === 'add' && <PlanDialog base={known.plans[0]} {...known} onClose={close} />}
      {dialog?.action === 'clone' && <PlanDialog base={dialog.plan} {...known} onClose={close} />}
      {dialog?.action === 'remove' && <RemovePlan plan={dialog.plan} onClose={close} />}
    </>
  );
}

interface PlanCardProps {
  readonly plan: Plan;
  readonly limits: Plans['limits'];
  readonly onAction: (action: 'edit' | 'clone' | 'remove') => void;
}

function PlanCard({ plan, limits, onAction }: PlanCardProps) {
  const { name } = plan;
  return (
    <Card title={name}>
      <div class="stack">
        <p class="soft wrap">{plan.description}</p>
        <dl class="facts">
          {limits.map((each) => (
            <>
              <dt>{each.title}</dt>
              <dd class="number">{limitText(each, plan)}</dd>
            </>
          ))}
          <dt>{t('plans.features')}</dt>
          <dd class="number">{plan.features.length}</dd>
        </dl>
        <div class="row">
          <Button isSmall icon="edit" label={t('plans.editPlan', { name })} onClick={() => onAction('edit')}>
            {t('plans.edit')}
          </Button>
          <Button isSmall icon="copy" label={t('plans.clonePlan', { name })} onClick={() => onAction('clone')}>
            {t('plans.clone')}
          </Button>
          <IconButton isBad icon="trash" label={t('plans.removePlan', { name })} onClick={() => onAction('remove')} />
        </div>
      </div>
    </Card>
  );
}

/** Says beforehand why a plan cannot be removed: accounts still have it. */
function RemovePlan({ plan: { name }, onClose }: { readonly plan: Plan; readonly onClose: () => void }) {
  const users = useQuery(`users of ${name}`, () =>
    ask<{ readonly total: number }>('GET', fillPath('/api/accounts', {}, { plan: name, limit: 1 })),
  );
  const remove = async () => {
    await sendRemoval('DELETE /api/plans/:name', { params: { name } });
    toast(t('plans.planRemoved', { name }));
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t('plans.removePlan', { name })}
      action={t('plans.removePlan', { name })}
      name={name}
      onConfirm={remove}
      onClose={onClose}
    >
      <Answer of={users} lines={1}>
        {({ total }) => <p>{total > 0 ? t('plans.planInUse', { n: total }) : t('plans.planUnused')}</p>}
      </Answer>
    </ConfirmDialog>
  );
}
