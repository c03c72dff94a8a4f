import { useSignal } from '@preact/signals';
import {
  api,
  changed,
  Dialog,
  Field,
  PasswordField,
  Select,
  t,
  toast,
  useNodeNames,
  withProof,
} from '../../pages/kit/index.ts';

const ADMIN = '\u0000admin';

/** Returns a password that nobody chose: 120 random bits. */
export function randomPassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
}

export function AddAccount({ plans, onClose }: { readonly plans: readonly string[]; readonly onClose: () => void }) {
  const [username, email, password] = [useSignal(''), useSignal(''), useSignal(randomPassword())];
  const [plan, node] = [useSignal(plans[0] ?? ''), useSignal('')];
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
    toast(t('accounts.wasAdded', { name: body.username }));
    changed();
    onClose();
  };
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
        of={[...plans.map((name) => [name, name] as const), ['', t('accounts.noPlan')], [ADMIN, t('accounts.admin')]]}
        onChange={(next) => (plan.value = next)}
      />
      {nodes.length > 0 && plan.value !== ADMIN && (
        <Select
          label={t('pages.node')}
          value={node.value}
          of={[['', t('accounts.nodeWithRoom')], ...nodes.map((name) => [name, name] as const)]}
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
