import { signal, useSignal } from '@preact/signals';
import { ApiError, ask } from '../server/api.ts';
import { CurrentPassword, SecondFactor } from './credential-fields.tsx';
import { Dialog } from './dialog.tsx';
import { t } from '../text/i18n.ts';

interface Wanted {
  readonly done: () => void;
  readonly given: (error: unknown) => void;
}
const wanted = signal<Wanted | undefined>(undefined);

/** Does what may need password and code again: asks for them where the server does, and then does it once more. */
export async function withProof<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'reauthentication_required') throw error;
    await new Promise<void>((done, given) => {
      wanted.value = { done, given: () => given(error) };
    });
    return act();
  }
}

export function ProofDialog() {
  const now = wanted.value;
  return now === undefined ? null : <Proof {...now} />;
}

function Proof({ done, given }: Wanted) {
  const [password, code] = [useSignal(''), useSignal('')];
  const wantsCode = useSignal(false);
  const prove = async () => {
    const twofa = wantsCode.value ? { twofa_code: code.value.trim() } : {};
    try {
      await ask('POST', '/api/reauthenticate', { password: password.value, ...twofa });
    } catch (error) {
      if (!(error instanceof ApiError) || error.body['twofa_required'] !== true) throw error;
      wantsCode.value = true;
      return;
    }
    wanted.value = undefined;
    done();
  };
  const close = () => {
    if (wanted.value === undefined) return;
    wanted.value = undefined;
    given(undefined);
  };
  return (
    <Dialog title={t('pages.proof')} onClose={close} onSubmit={prove} submit={{ text: t('pages.confirm') }}>
      <p class="soft">{t('pages.proofAbout')}</p>
      <CurrentPassword value={password} autoFocus />
      {wantsCode.value && <SecondFactor value={code} autoFocus />}
    </Dialog>
  );
}
