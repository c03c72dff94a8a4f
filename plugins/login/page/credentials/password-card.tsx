import { useSignal } from '@preact/signals';
import {
  api,
  Button,
  Card,
  CurrentPassword,
  ErrorPanel,
  PasswordField,
  session,
  t,
  toast,
  withProof,
} from '../../../pages/kit/index.ts';

const LEAST = 8;

export function PasswordCard() {
  const [old, next] = [useSignal(''), useSignal('')];
  const state = useSignal<{ readonly isBusy: boolean; readonly error?: unknown }>({ isBusy: false });
  const isShort = next.value !== '' && next.value.length < LEAST;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (state.value.isBusy || next.value.length < LEAST) return;
    state.value = { isBusy: true };
    try {
      await withProof(() =>
        api('PUT /api/account/password', { body: { password: old.value, new_password: next.value } }),
      );
      [old.value, next.value] = ['', ''];
      state.value = { isBusy: false };
      toast(t('login.passwordChanged'));
    } catch (error) {
      state.value = { isBusy: false, error };
    }
  };
  return (
    <Card title={t('login.password')}>
      <form class="stack" onSubmit={submit} noValidate>
        <input
          class="sr-only"
          type="text"
          autocomplete="username"
          value={session.value?.username}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <CurrentPassword value={old} label={t('login.oldPassword')} />
        <PasswordField
          label={t('login.newPassword')}
          hint={t('login.passwordHint')}
          fault={isShort ? t('login.passwordShort', { n: LEAST }) : undefined}
          value={next.value}
          onChange={(text) => (next.value = text)}
          autocomplete="new-password"
          maxLength={128}
        />
        {state.value.error !== undefined && <ErrorPanel error={state.value.error} />}
        <div>
          <Button
            type="submit"
            kind="primary"
            isBusy={state.value.isBusy}
            isDisabled={old.value === '' || next.value.length < LEAST}
          >
            {t('login.changePassword')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
