import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Badge, t, type ReplyOf } from '../../pages/kit/index.ts';
import type { Plan } from './plan.ts';

export type Feature = ReplyOf<'GET /api/features'>['features'][number];

interface MatrixProps {
  readonly features: readonly Feature[];
  readonly shown: (feature: Feature) => boolean;
  readonly plans: readonly Plan[];
  /** Number of accounts by plan. */
  readonly accounts: Readonly<Record<string, number>>;
  readonly onToggle: (plan: string, feature: Feature) => Promise<void>;
}

/** A row for each feature, grouped by plugin, a column for each plan, and a switch in each cell. */
export function Matrix({ features, shown, plans, accounts, onToggle }: MatrixProps) {
  const owned = [...new Set(features.map(({ plugin }) => plugin))].toSorted();
  const groups = [...owned.filter((each) => each !== null), ...owned.filter((each) => each === null)];
  const has = new Map(plans.map((plan) => [plan.name, new Set(plan.features)]));
  const names = useMemo(() => plans.map(({ name }) => name), [plans.map(({ name }) => name).join()]);
  const affects = names.map((name) => t('plans.affectsAll', { n: accounts[name] ?? 0 }));
  const press = ({ target }: Event) => {
    const cell = target instanceof Element ? target.closest('.switch')?.closest('td') : undefined;
    const feature = features.find(({ name }) => name === cell?.closest('tr')?.dataset['feature']);
    const plan = names[(cell?.cellIndex ?? 0) - 1];
    if (feature !== undefined && plan !== undefined) void onToggle(plan, feature);
  };
  return (
    <div class="table-frame matrix-frame" tabIndex={0} role="group" aria-label={t('plans.features')}>
      <table class="table matrix" onClick={press}>
        <caption class="sr-only">{t('plans.featuresAbout')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('plans.feature')}</th>
            {plans.map(({ name }) => (
              <th key={name} scope="col" class="wrap">
                {name}
                <span class="small soft count">{t('plans.affects', { n: accounts[name] ?? 0 })}</span>
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group ?? ''}>
            <tr class="group" hidden={!features.some((each) => each.plugin === group && shown(each))}>
              <th scope="rowgroup" colSpan={plans.length + 1}>
                <span class="row">
                  {group ?? t('plans.noPlugin')}
                  <State of={features.find(({ plugin }) => plugin === group)?.state ?? null} />
                </span>
              </th>
            </tr>
            {features
              .filter(({ plugin }) => plugin === group)
              .map((feature) => (
                <Row
                  key={feature.name}
                  feature={feature}
                  plans={names}
                  affects={affects}
                  on={names.map((name) => has.get(name)?.has(feature.name) === true)}
                  isHidden={!shown(feature)}
                />
              ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

interface RowProps {
  readonly feature: Feature;
  readonly plans: readonly string[];
  /** Says for each plan whom its switch concerns. */
  readonly affects: readonly string[];
  /** Which of the plans have it. */
  readonly on: readonly boolean[];
  readonly isHidden: boolean;
}

/**
 * A row whose switches are no components, and no inputs: the click that leaves the page waited while thousands of components were
 * taken away, and while the browser saved the state of as many inputs for its history.
 */
function Row({ feature: { name, title, description }, plans, affects, on, isHidden }: RowProps) {
  const row = useRef<HTMLTableRowElement>(null);
  useLayoutEffect(() => {
    const [head] = row.current?.children ?? [];
    if (head !== undefined) row.current?.replaceChildren(head, ...plans.map((plan) => cellOf(`${title}, ${plan}`)));
  }, [title, plans]);
  useLayoutEffect(() => {
    row.current?.querySelectorAll('button').forEach((button, i) => {
      const next = { ariaChecked: String(on[i] === true), title: affects[i] ?? '' };
      if (button.ariaChecked !== next.ariaChecked || button.title !== next.title) Object.assign(button, next);
    });
  }, [title, plans, affects.join(), on.join()]);
  return (
    <tr ref={row} data-feature={name} hidden={isHidden}>
      <th scope="row" title={description}>
        {title}
      </th>
    </tr>
  );
}

function cellOf(label: string): HTMLTableCellElement {
  const [cell, button] = [document.createElement('td'), document.createElement('button')];
  cell.append(Object.assign(button, { type: 'button', role: 'switch', className: 'switch', ariaLabel: label }));
  return cell;
}

function State({ of: state }: { readonly of: Feature['state'] }) {
  if (state === null || state === 'ready') return null;
  return <Badge tone={state === 'degraded' ? 'warn' : 'bad'}>{t(`plans.plugin.${state}`)}</Badge>;
}
