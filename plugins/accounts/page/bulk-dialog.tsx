import { useSignal } from '@preact/signals';
import { api, changed, Dialog, errorText, Panel, Select, t, toast } from '../../pages/kit/index.ts';

export type BulkAction = 'suspend' | 'unsuspend' | 'plan';
interface BulkProps {
  readonly action: BulkAction;
  readonly names: readonly string[];
  readonly plans: readonly string[];
  readonly onClose: () => void;
}

/** Does the same to several accounts, one after the other, and says which could not be changed, and why. */
export function BulkDialog({ action, names, plans, onClose }: BulkProps) {
  const plan = useSignal(plans[0] ?? '');
  const done = useSignal(0);
  const failed = useSignal<readonly { readonly name: string; readonly why: string }[]>([]);
  const one = (username: string) => {
    const params = { username };
    if (action === 'plan') return api('PATCH /api/accounts/:username', { params, body: { plan: plan.value } });
    return action === 'suspend'
      ? api('POST /api/accounts/:username/suspend', { params })
      : api('POST /api/accounts/:username/unsuspend', { params });
  };
  const run = async () => {
    done.value = 0;
    failed.value = [];
    for (const name of names) {
      try {
        await one(name);
      } catch (error) {
        failed.value = [...failed.value, { name, why: errorText(error) }];
      }
      done.value += 1;
    }
    changed();
    if (failed.value.length > 0) return;
    toast(t('accounts.bulkDone', { n: names.length }));
    onClose();
  };
  const title = t(`accounts.bulk.${action}`, { n: names.length });
  return (
    <Dialog title={title} onClose={onClose} onSubmit={run} submit={{ text: title, isDanger: action === 'suspend' }}>
      <p class="wrap soft">{names.join(', ')}</p>
      {action === 'plan' && (
        <Select
          label={t('accounts.plan')}
          value={plan.value}
          of={plans.map((name) => [name, name] as const)}
          onChange={(next) => (plan.value = next)}
        />
      )}
      {action !== 'plan' && <p>{t(`accounts.bulkAbout.${action}`)}</p>}
      {done.value > 0 && (
        <p role="status" class="number">
          {t('accounts.bulkProgress', { done: done.value, all: names.length })}
        </p>
      )}
      {failed.value.length > 0 && (
        <Panel kind="bad" icon="warn" title={t('accounts.bulkFailed', { n: failed.value.length })} isAlert>
          <ul>
            {failed.value.map(({ name, why }) => (
              <li key={name} class="wrap">
                {name}: {why}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Dialog>
  );
}
