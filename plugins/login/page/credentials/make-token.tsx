import { useSignal } from '@preact/signals';
import {
  api,
  ApiError,
  CurrentPassword,
  Dialog,
  Field,
  SecondFactor,
  Select,
  ShownOnce,
  t,
  TextToCopy,
  type ReplyOf,
} from '../../../pages/kit/index.ts';

type Scope = ReplyOf<'GET /api/account/tokens'>['scopes'][number];
interface MakeTokenProps {
  readonly scopes: readonly Scope[];
  readonly onMade: () => void;
  readonly onClose: () => void;
}

const DAYS = ['7', '30', '90', '180', '365'];

/** Asks for what a token is for, and for password and code; then shows it, once. */
export function MakeToken({ scopes, onMade, onClose }: MakeTokenProps) {
  const [name, days, networks] = [useSignal(''), useSignal('90'), useSignal('')];
  const [password, code] = [useSignal(''), useSignal('')];
  const wantsCode = useSignal(false);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const made = useSignal<string | undefined>(undefined);
  if (made.value !== undefined) return <TokenOnce token={made.value} onClose={onClose} />;
  const make = async () => {
    const body = {
      name: name.value.trim(),
      scopes: [...chosen.value],
      expires_in_days: Number(days.value),
      networks: networks.value.split(/[\s,]+/).filter((each) => each !== ''),
      password: password.value,
      ...(wantsCode.value && { twofa_code: code.value.trim() }),
    };
    try {
      made.value = (await api('POST /api/account/tokens', { body })).token;
      onMade();
    } catch (error) {
      if (!(error instanceof ApiError) || error.body['twofa_required'] !== true) throw error;
      wantsCode.value = true;
    }
  };
  const isReady = name.value.trim() !== '' && chosen.value.size > 0 && password.value !== '';
  return (
    <Dialog
      title={t('login.makeToken')}
      isLarge
      onClose={onClose}
      onSubmit={make}
      submit={{ text: t('login.makeToken'), isDisabled: !isReady }}
    >
      <Field
        label={t('login.tokenName')}
        hint={t('login.tokenNameHint')}
        value={name.value}
        onChange={(text) => (name.value = text)}
        maxLength={64}
        autocomplete="off"
        autoFocus
      />
      <ScopeChoice scopes={scopes} chosen={chosen.value} onChange={(next) => (chosen.value = next)} />
      <Select
        label={t('login.tokenDays')}
        value={days.value}
        of={DAYS.map((each) => [each, t('login.days', { n: Number(each) })] as const)}
        onChange={(value) => (days.value = value)}
      />
      <Field
        label={t('login.tokenNetworks')}
        hint={t('login.tokenNetworksHint')}
        value={networks.value}
        onChange={(text) => (networks.value = text)}
        placeholder="192.0.2.0/24"
        autocomplete="off"
        spellcheck={false}
      />
      <CurrentPassword value={password} hint={t('login.twofaPasswordHint')} />
      {wantsCode.value && <SecondFactor value={code} autoFocus />}
    </Dialog>
  );
}

const areaOf = ({ scope }: Scope) => scope.slice(0, scope.lastIndexOf(':'));

interface ScopeChoiceProps {
  readonly scopes: readonly Scope[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

/** A line for each feature, with a box for reading and one for changing where there are such routes. */
function ScopeChoice({ scopes, chosen, onChange }: ScopeChoiceProps) {
  const areas = [...new Set(scopes.map(areaOf))].map((area) => scopes.filter((scope) => areaOf(scope) === area));
  const reads = scopes.map(({ scope }) => scope).filter((scope) => scope.endsWith(':read'));
  const readsAll = reads.every((scope) => chosen.has(scope));
  const toggleReads = () =>
    onChange(new Set(readsAll ? [...chosen].filter((scope) => !reads.includes(scope)) : [...chosen, ...reads]));
  const toggle = (scope: string, isOn: boolean) => {
    const next = new Set(chosen);
    if (isOn) next.add(scope);
    else next.delete(scope);
    onChange(next);
  };
  return (
    <fieldset class="field">
      <legend>{t('login.tokenScopes')}</legend>
      <label class="row">
        <input type="checkbox" checked={readsAll} onChange={toggleReads} />
        {t('login.readEverything')}
      </label>
      <ul class="scopes">
        {areas.map((its) => (
          <li key={its[0]?.scope}>
            <span class="wrap">{its[0]?.title}</span>
            {its.map(({ scope, title, routes }) => (
              <label key={scope} class="row small" title={routes.join('\n')}>
                <input
                  type="checkbox"
                  checked={chosen.has(scope)}
                  onChange={(event) => toggle(scope, event.currentTarget.checked)}
                />
                {t(scope.endsWith(':read') ? 'login.scopeRead' : 'login.scopeWrite')}
                <span class="sr-only"> {title}</span>
              </label>
            ))}
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function TokenOnce({ token, onClose }: { readonly token: string; readonly onClose: () => void }) {
  return (
    <ShownOnce
      title={t('login.tokenMade')}
      warning={t('login.tokenOnce')}
      about={t('login.tokenOnceAbout')}
      saved={t('login.tokenSaved')}
      onClose={onClose}
    >
      <TextToCopy text={token} what={t('login.tokenMade')} />
    </ShownOnce>
  );
}
