import { useSignal } from '@preact/signals';
import {
  api,
  changed,
  Dialog,
  ErrorPanel,
  Field,
  PasswordField,
  PasswordOnce,
  randomPassword,
  Select,
  t,
  useNodeNames,
  withProof,
} from '../../pages/kit/index.ts';
import { usualPlan, type PlanList } from './plans.ts';

const ADMIN = '\u0000admin';

export function AddAccount({ plans, onClose }: { readonly plans: PlanList; readonly onClose: () => void }) {
  const [username, email, password] = [useSignal(''), useSignal(''), useSignal(randomPassword())];
  const [plan, node] = [useSignal(usualPlan(plans)), useSignal('')];
  const added = useSignal('');
  const nodes = useNodeNames();
  const add = async () => {
    const isAdmin = plan.value === ADMIN;
    const body = {
      username: username.value.trim(),
      password: password.value,
      role: isAdmin ? ('admin' as const) : ('user' as const),
      ...(!isAdmin && { plan: plan.value === '' ? null : plan.value }),
      ...(!isAdmin && node.value !== '' && { node: node.value }),
      ...(email.value.trim() !== '' && { email: email.value.trim() }),
    };
    await withProof(() => api('POST /api/accounts', { body }));
    added.value = body.username;
    changed();
  };
  if (added.value !== '')
    return (
      <PasswordOnce
        title={t('accounts.wasAdded', { name: added.value })}
        username={added.value}
        password={password.value}
        onClose={onClose}
      />
    );
  return (
    <Dialog
      title={t('accounts.addAccount')}
      onClose={onClose}
      onSubmit={add}
      submit={{ text: t('accounts.addAccount'), isDisabled: username.value.trim() === '' || password.value.length < 8 }}
    >
      <Field
        label={t('pages.username')}
        hint={t('accounts.usernameHint')}
        value={username.value}
        onChange={(text) => (username.value = text)}
        maxLength={32}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        autoFocus
      />
      <Field
        label={t('accounts.email')}
        value={email.value}
        onChange={(text) => (email.value = text)}
        autocomplete="off"
      />
      <Select
        label={t('accounts.plan')}
        value={plan.value}
        of={[
          ...plans.plans.map(({ name }) => [name, name] as const),
          ['', t('accounts.noPlan')],
          [ADMIN, t('accounts.admin')],
        ]}
        onChange={(next) => (plan.value = next)}
      />
      {nodes.data === undefined && nodes.error !== undefined && (
        <ErrorPanel error={nodes.error} onRetry={nodes.reload} />
      )}
      {nodes.data !== undefined && nodes.data.length > 0 && plan.value !== ADMIN && (
        <Select
          label={t('pages.node')}
          value={node.value}
          of={[['', t('accounts.nodeWithRoom')], ...nodes.data.map((name) => [name, name] as const)]}
          onChange={(next) => (node.value = next)}
        />
      )}
      <PasswordField
        label={t('pages.password')}
        hint={t('accounts.passwordHint')}
        value={password.value}
        onChange={(text) => (password.value = text)}
        autocomplete="new-password"
        maxLength={128}
      />
    </Dialog>
  );
}
