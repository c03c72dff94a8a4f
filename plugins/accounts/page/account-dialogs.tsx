import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import {
  Answer,
  api,
  ask,
  at,
  changed,
  ConfirmDialog,
  CopyButton,
  Dialog,
  Icon,
  Panel,
  Parts,
  PasswordOnce,
  randomPassword,
  Select,
  sendRemoval,
  t,
  toast,
  useQuery,
  withProof,
} from '../../pages/kit/index.ts';
import type { Account } from './account/account.ts';
import { DetailsDialog } from './details-dialog.tsx';
import { readPlans } from './plans.ts';
import { planDifference } from '../../pages/kit/index.ts';

export type AccountAction = 'edit' | 'plan' | 'open' | 'password' | 'twofa' | 'unlock' | 'suspend' | 'remove';
interface DialogProps {
  readonly account: Account;
  readonly onClose: () => void;
}

export function AccountDialogs({ action, ...props }: DialogProps & { readonly action: AccountAction }) {
  if (action === 'edit') return <DetailsDialog {...props} />;
  if (action === 'plan') return <PlanDialog {...props} />;
  if (action === 'password') return <PasswordDialog {...props} />;
  if (action === 'open') return <OpenDialog {...props} />;
  if (action === 'remove') return <RemoveDialog {...props} />;
  return <SimpleDialog {...props} action={action} />;
}

/** Shows what the change of plan takes and gives before it is made. */
function PlanDialog({ account, onClose }: DialogProps) {
  const { username, plan: before } = account;
  const plans = useQuery('plans', readPlans);
  const chosen = useSignal(before ?? '');
  const of = (name: string | null) => plans.data?.plans.find((each) => each.name === name);
  const difference = planDifference(plans.data?.limits ?? [], of(before), of(chosen.value));
  const change = async () => {
    const plan = chosen.value === '' ? null : chosen.value;
    await api('PATCH /api/accounts/:username', { params: { username }, body: { plan } });
    toast(t('accounts.planChanged', { name: username }));
    changed();
    onClose();
  };
  return (
    <Dialog
      title={t('accounts.action.plan')}
      onClose={onClose}
      onSubmit={change}
      submit={{ text: t('accounts.action.plan'), isDisabled: chosen.value === (before ?? '') }}
    >
      <Answer of={plans} lines={1}>
        {({ plans: all }) => (
          <Select
            label={t('accounts.plan')}
            value={chosen.value}
            of={[...all.map(({ name }) => [name, name] as const), ['', t('accounts.noPlan')]]}
            onChange={(next) => (chosen.value = next)}
          />
        )}
      </Answer>
      {difference.length > 0 && (
        <Panel icon="info" title={t('accounts.difference')}>
          <ul>
            {difference.map((line) => (
              <li key={line} class="wrap">
                {line}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Dialog>
  );
}

/** Sets a random password and shows it once. */
function PasswordDialog({ account: { username }, onClose }: DialogProps) {
  const shown = useSignal<string | undefined>(undefined);
  const set = async () => {
    const password = randomPassword();
    await withProof(() => api('PUT /api/accounts/:username/password', { params: { username }, body: { password } }));
    shown.value = password;
    changed();
  };
  if (shown.value === undefined)
    return (
      <ConfirmDialog
        title={t('accounts.action.password')}
        action={t('accounts.action.password')}
        onConfirm={set}
        onClose={onClose}
      >
        <p>{t('accounts.passwordAbout', { name: username })}</p>
      </ConfirmDialog>
    );
  return (
    <PasswordOnce title={t('accounts.newPassword')} username={username} password={shown.value} onClose={onClose} />
  );
}

/** Opens the account as its owner sees it. The window is opened by a click of its own, which browsers ask for. */
function OpenDialog({ account: { username }, onClose }: DialogProps) {
  const link = useSignal('');
  const make = async () => {
    const { url } = await withProof(() =>
      ask<{ url: string }>('POST', `/api/accounts/${encodeURIComponent(username)}/login-link`),
    );
    link.value = url;
  };
  if (link.value === '')
    return (
      <Dialog
        title={t('accounts.openOne', { name: username })}
        onClose={onClose}
        onSubmit={make}
        submit={{ text: t('accounts.makeLink') }}
      >
        <p>{t('accounts.openAbout', { name: username })}</p>
      </Dialog>
    );
  return (
    <Dialog title={t('accounts.openOne', { name: username })} onClose={onClose}>
      <p>{t('accounts.linkAbout')}</p>
      <p class="row">
        <a class="button primary" href={link.value} target="_blank" rel="noopener noreferrer" onClick={onClose}>
          <Icon name="open" /> {t('accounts.openOne', { name: username })}
        </a>
        <CopyButton text={link.value} what={t('accounts.link')} />
      </p>
    </Dialog>
  );
}

function RemoveDialog({ account: { username }, onClose }: DialogProps) {
  const { route } = useLocation();
  const purges = useSignal(false);
  const remove = async () => {
    await sendRemoval('DELETE /api/accounts/:username', { params: { username }, query: { purge: purges.value } });
    toast(t('accounts.wasRemoved', { name: username }));
    route(at('/accounts'));
  };
  return (
    <ConfirmDialog
      title={t('accounts.removeOne', { name: username })}
      action={t('accounts.action.remove')}
      name={username}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t(purges.value ? 'accounts.removePurges' : 'accounts.removeKeeps')}</p>
      <Parts of="/accounts/remove" />
      <label class="row">
        <input
          type="checkbox"
          checked={purges.value}
          onChange={(event) => void (purges.value = event.currentTarget.checked)}
        />
        {t('accounts.purge')}
      </label>
    </ConfirmDialog>
  );
}

/** The second factor and the lock of logins are of another plugin. */
const SIMPLE = {
  twofa: (username: string) => withProof(() => ask('DELETE', `/api/accounts/${encodeURIComponent(username)}/2fa`)),
  unlock: (username: string) => ask('POST', `/api/accounts/${encodeURIComponent(username)}/unlock`),
} as const;

function SimpleDialog({ account, action, onClose }: DialogProps & { readonly action: 'twofa' | 'unlock' | 'suspend' }) {
  const { username, suspended } = account;
  const what = action === 'suspend' && suspended ? 'unsuspend' : action;
  const act = async () => {
    const params = { username };
    if (action !== 'suspend') await SIMPLE[action](username);
    else if (suspended) await api('POST /api/accounts/:username/unsuspend', { params });
    else await api('POST /api/accounts/:username/suspend', { params });
    toast(t('accounts.isDone', { name: username }));
    changed();
    onClose();
  };
  return (
    <ConfirmDialog
      title={t(`accounts.action.${what}`)}
      action={t(`accounts.action.${what}`)}
      onConfirm={act}
      onClose={onClose}
    >
      <p>{t(`accounts.about.${what}`, { name: username })}</p>
    </ConfirmDialog>
  );
}
