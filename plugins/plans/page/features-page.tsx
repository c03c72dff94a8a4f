import { useSignal } from '@preact/signals';
import { Answer, api, attempt, Card, FilterInput, PageHead, t, toast, useQuery } from '../../pages/kit/index.ts';
import { Matrix, type Feature } from './matrix.tsx';
import { readPlans, type Plan } from './plan.ts';

/** Which plan has which feature. A switch takes effect with the next request of each account. */
export default function FeaturesPage() {
  const search = useSignal('');
  const features = useQuery('features', (signal) => api('GET /api/features', { signal }));
  const plans = useQuery('plans', readPlans);
  const replace = (plan: Plan) => {
    const { data } = plans;
    if (data !== undefined)
      plans.set({ ...data, plans: data.plans.map((each) => (each.name === plan.name ? plan : each)) });
  };
  const send = async (name: string, feature: string, isOn: boolean) => {
    const params = { name, feature };
    if (!isOn) return replace(await api('DELETE /api/plans/:name/features/:feature', { params }));
    const { warning, ...plan } = await api('PUT /api/plans/:name/features/:feature', { params });
    replace(plan);
    if (warning !== null) toast(t('plans.unprovided', { name: feature }), undefined, true);
  };
  const toggle = (plan: string, { name, title }: Feature) => {
    const isOn = plans.data?.plans.find((each) => each.name === plan)?.features.includes(name) !== true;
    return attempt(async () => {
      await send(plan, name, isOn);
      const n = plans.data?.accounts[plan] ?? 0;
      toast(t(isOn ? 'plans.switchedOn' : 'plans.switchedOff', { name: title, plan, n }), () =>
        send(plan, name, !isOn),
      );
    });
  };
  const lacking = features.data?.features.filter(({ provided }) => !provided).length ?? 0;
  const wanted = search.value.trim().toLowerCase();
  return (
    <>
      <PageHead title={t('plans.features')} about={t('plans.featuresAbout')} />
      <Card isFlush>
        <div class="card-head">
          <FilterInput
            label={t('plans.searchFeatures')}
            value={search.value}
            onChange={(text) => (search.value = text)}
          />
        </div>
        <Answer of={features} lines={8}>
          {({ features: all }) => (
            <Answer of={plans} lines={8}>
              {({ plans: columns, accounts }) => (
                <Matrix
                  features={all.filter(({ provided }) => provided)}
                  shown={({ title, name }) => `${title} ${name}`.toLowerCase().includes(wanted)}
                  plans={columns}
                  accounts={accounts}
                  onToggle={toggle}
                />
              )}
            </Answer>
          )}
        </Answer>
        {lacking > 0 && <p class="card-head small soft">{t('plans.notProvided', { n: lacking })}</p>}
      </Card>
    </>
  );
}
