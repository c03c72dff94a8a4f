import { useSignal } from '@preact/signals';
import { Answer, api, attempt, Card, Choices, SearchInput, t, toast, useQuery } from '../../../pages/kit/index.ts';
import type { Account } from './account.ts';
import { readFeatures } from '../plans.ts';

type Choice = 'plan' | 'on' | 'off';
interface AccountFeaturesProps {
  readonly account: Account;
  readonly onChanged: (account: Account) => void;
}

/** Shows the features of an account: inherited from its plan, on, or off. */
export function AccountFeatures({ account, onChanged }: AccountFeaturesProps) {
  const search = useSignal('');
  const features = useQuery('features', readFeatures);
  const choose = (feature: string, title: string, choice: Choice) =>
    attempt(async () => {
      const params = { username: account.username, feature };
      if (choice !== 'on') {
        const query = { inherit: choice === 'plan' };
        return onChanged(await api('DELETE /api/accounts/:username/features/:feature', { params, query }));
      }
      const { warning, ...granted } = await api('PUT /api/accounts/:username/features/:feature', { params });
      onChanged(granted);
      if (warning !== null) toast(t('accounts.unprovided', { name: title }), undefined, true);
    });
  const choiceOf = (feature: string): Choice => {
    const override = account.overrides[feature];
    return override === undefined ? 'plan' : override ? 'on' : 'off';
  };
  const inherits = (feature: string) => account.overrides[feature] === undefined && account.features.includes(feature);
  return (
    <Card
      title={t('accounts.features')}
      end={
        <SearchInput
          label={t('accounts.searchFeatures')}
          value={search.value}
          onChange={(text) => (search.value = text)}
        />
      }
    >
      <Answer of={features} lines={6}>
        {({ features: all }) => (
          <ul class="feature-list">
            {all
              .filter(({ name, provided }) => provided || account.overrides[name] !== undefined)
              .filter(({ title, name }) => `${title} ${name}`.toLowerCase().includes(search.value.trim().toLowerCase()))
              .map(({ name, title }) => (
                <li key={name} class="row apart">
                  <span class="wrap">
                    {title} {inherits(name) && <span class="small soft">· {t('accounts.fromPlan')}</span>}
                  </span>
                  <Choices
                    label={title}
                    value={choiceOf(name)}
                    of={(['plan', 'on', 'off'] as const).map((each) => [each, t(`accounts.choice.${each}`)] as const)}
                    onChange={(choice) => void choose(name, title, choice)}
                  />
                </li>
              ))}
          </ul>
        )}
      </Answer>
    </Card>
  );
}
