import { useSignal } from '@preact/signals';
import {
  Answer,
  api,
  Badge,
  Card,
  PageHead,
  SearchInput,
  t,
  toast,
  toastError,
  useQuery,
  type ReplyOf,
} from '../../pages/kit/index.ts';
import type { Plan } from './plan-difference.ts';

type Feature = ReplyOf<'GET /api/features'>['features'][number];

/** Which plan has which feature. A switch takes effect with the next request of each account. */
export default function FeaturesPage() {
  const search = useSignal('');
  const features = useQuery('features', (signal) => api('GET /api/features', { signal }));
  const plans = useQuery('plans', (signal) => api('GET /api/plans', { query: { limit: 500 }, signal }));
  const replace = (plan: Plan) => {
    const { data } = plans;
    if (data !== undefined)
      plans.set({ ...data, plans: data.plans.map((each) => (each.name === plan.name ? plan : each)) });
  };
  const send = async (name: string, feature: string, isOn: boolean) => {
    const params = { name, feature };
    replace(
      isOn
        ? await api('PUT /api/plans/:name/features/:feature', { params })
        : await api('DELETE /api/plans/:name/features/:feature', { params }),
    );
  };
  const toggle = async (plan: Plan, { name, title }: Feature) => {
    const isOn = !plan.features.includes(name);
    try {
      await send(plan.name, name, isOn);
      const { total } = await api('GET /api/accounts', { query: { plan: plan.name, limit: 1 } });
      toast(t(isOn ? 'control.switchedOn' : 'control.switchedOff', { name: title, plan: plan.name, n: total }), () =>
        send(plan.name, name, !isOn),
      );
    } catch (error) {
      toastError(error);
    }
  };
  const wanted = search.value.trim().toLowerCase();
  return (
    <>
      <PageHead title={t('control.features')} about={t('control.featuresAbout')} />
      <Card isFlush>
        <div class="card-head">
          <SearchInput
            label={t('control.searchFeatures')}
            value={search.value}
            onChange={(text) => (search.value = text)}
          />
        </div>
        <Answer of={features} lines={8}>
          {({ features: all }) => (
            <Answer of={plans} lines={8}>
              {({ plans: columns }) => (
                <Matrix
                  features={all.filter(({ title, name }) => `${title} ${name}`.toLowerCase().includes(wanted))}
                  plans={columns}
                  onToggle={toggle}
                />
              )}
            </Answer>
          )}
        </Answer>
      </Card>
    </>
  );
}

interface MatrixProps {
  readonly features: readonly Feature[];
  readonly plans: readonly Plan[];
  readonly onToggle: (plan: Plan, feature: Feature) => Promise<void>;
}

function Matrix({ features, plans, onToggle }: MatrixProps) {
  const owned = [...new Set(features.map(({ plugin }) => plugin))].toSorted();
  const groups = [...owned.filter((each) => each !== null), ...owned.filter((each) => each === null)];
  const has = new Map(plans.map((plan) => [plan.name, new Set(plan.features)]));
  return (
    <div class="table-frame matrix-frame" tabIndex={0} role="group" aria-label={t('control.features')}>
      <table class="table matrix">
        <caption class="sr-only">{t('control.featuresAbout')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('control.feature')}</th>
            {plans.map(({ name }) => (
              <th key={name} scope="col" class="wrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group ?? ''}>
            <tr class="group">
              <th scope="rowgroup" colSpan={plans.length + 1}>
                <span class="row">
                  {group ?? t('control.noPlugin')}
                  <State of={features.find(({ plugin }) => plugin === group)?.state ?? null} />
                </span>
              </th>
            </tr>
            {features
              .filter(({ plugin }) => plugin === group)
              .map((feature) => (
                <tr key={feature.name}>
                  <th scope="row" title={feature.description}>
                    {feature.title}
                  </th>
                  {plans.map((plan) => (
                    <td key={plan.name}>
                      <input
                        type="checkbox"
                        class="switch"
                        role="switch"
                        aria-label={`${feature.title}, ${plan.name}`}
                        checked={has.get(plan.name)?.has(feature.name) === true}
                        onClick={(event) => {
                          event.preventDefault();
                          void onToggle(plan, feature);
                        }}
                      />
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function State({ of: state }: { readonly of: Feature['state'] }) {
  if (state === null || state === 'ready') return null;
  return <Badge tone={state === 'degraded' ? 'warn' : 'bad'}>{t(`control.plugin.${state}`)}</Badge>;
}
