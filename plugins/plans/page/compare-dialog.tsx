import { useSignal } from '@preact/signals';
import { Dialog, Select, t } from '../../pages/kit/index.ts';
import { limitText } from '../../pages/kit/index.ts';
import type { Plan, Plans } from './plan.ts';

/** Two plans side by side: what they differ in first, and what each has that the other lacks. */
export function CompareDialog({ plans, limits, onClose }: Pick<Plans, 'plans' | 'limits'> & { onClose: () => void }) {
  const names = [useSignal(plans[0]?.name ?? ''), useSignal(plans.at(-1)?.name ?? '')] as const;
  const [left, right] = names.map(({ value }) => plans.find(({ name }) => name === value));
  if (left === undefined || right === undefined) return null;
  const only = (one: Plan, other: Plan) => one.features.filter((each) => !other.features.includes(each));
  const lacks = [
    [left.name, only(left, right)],
    [right.name, only(right, left)],
  ] as const;
  return (
    <Dialog title={t('plans.compare')} onClose={onClose} isLarge>
      <div class="grid">
        {names.map((chosen, i) => (
          <Select
            key={i}
            label={t(i === 0 ? 'plans.firstPlan' : 'plans.secondPlan')}
            value={chosen.value}
            of={plans.map(({ name }) => [name, name] as const)}
            onChange={(next) => (chosen.value = next)}
          />
        ))}
      </div>
      <div class="table-frame" tabIndex={0} role="group" aria-label={t('plans.compare')}>
        <table class="table compare">
          <caption class="sr-only">{t('plans.compare')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('plans.limit')}</th>
              <th scope="col" class="end">
                {left.name}
              </th>
              <th scope="col" class="end">
                {right.name}
              </th>
            </tr>
          </thead>
          <tbody>
            {limits.map((limit) => {
              const differs = left.limits[limit.name] !== right.limits[limit.name];
              return (
                <tr key={limit.name} data-differs={differs}>
                  <th scope="row">{limit.title}</th>
                  <td class="end number">{limitText(limit, left)}</td>
                  <td class="end number">
                    {differs && <span class="sr-only">{t('plans.differs')} </span>}
                    {limitText(limit, right)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {lacks.map(([name, features], i) => (
        <div key={i} class="stack tight">
          <h3>{t('plans.onlyIn', { name, n: features.length })}</h3>
          <p class="wrap soft">{features.length === 0 ? '–' : features.join(', ')}</p>
        </div>
      ))}
    </Dialog>
  );
}
