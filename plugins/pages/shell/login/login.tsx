import { useSignal } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError, ask } from '../../kit/server/api.ts';
import { Button } from '../../kit/button.tsx';
import { Panel } from '../../kit/feedback.tsx';
import { Field, PasswordField, Select } from '../../kit/form/field.tsx';
import { againText, language, LANGUAGES, t, useLanguage } from '../../kit/text/i18n.ts';
import { changed } from '../../kit/server/query.ts';
import { hasEnded, logOut, refreshSession, session } from '../../kit/server/session.ts';
import { attempt, errorText } from '../../kit/toasts.tsx';
import { chooseLanguage } from '../bar/choose-language.ts';
import { Mark } from '../navigation.tsx';

const NAMES = { en: 'English', de: 'Deutsch', fr: 'Français' } as Readonly<Record<string, string>>;
export const languageNames = LANGUAGES.map((each) => [each, NAMES[each] ?? each] as const);

export function LoginPage({ application }: { readonly application: 'home' | 'console' }) {
  const chosen = useRef<string | undefined>(undefined);
  const keepChosen = () => {
    const locale = chosen.current;
    if (locale !== undefined && locale !== session.value?.locale) void attempt(() => chooseLanguage(locale));
  };
  return (
    <main class="login">
      <div class="brand">
        <Mark /> {t(`pages.${application}`)}
      </div>
      <div class="card stack">
        <h1>{t('pages.login')}</h1>
        <LoginForm onDone={keepChosen} />
      </div>
      <Select
        label={t('pages.language')}
        isLabelHidden
        value={language.value}
        of={languageNames}
        onChange={(each) => {
          chosen.current = each;
          void useLanguage(each, true);
        }}
      />
    </main>
  );
}

/** The login over a page whose session has ended or is about to: nothing that was typed there is lost. */
export function LoginDialog({ isEnded, onClose }: { readonly isEnded?: boolean; readonly onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => ref.current?.showModal(), []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      // Before the browser hears of the key: it lets a second Escape through, and a third would close the form below.
      onKeyDown={(event) => isEnded === true && event.key === 'Escape' && event.preventDefault()}
      onCancel={(event) => isEnded === true && event.preventDefault()}
      onClose={() => (isEnded === true && hasEnded.value ? ref.current?.showModal() : onClose())}
    >
      <div class="dialog-body">
        <h2 id={id}>{t(isEnded === true ? 'pages.ended' : 'pages.stay')}</h2>
        <p class="soft">{t(isEnded === true ? 'pages.endedAbout' : 'pages.stayAbout')}</p>
        <LoginForm username={session.value?.username} onDone={() => ref.current?.close()} />
        {isEnded === true ? (
          <Button kind="plain" onClick={() => void logOut()}>
            {t('pages.asOther')}
          </Button>
        ) : (
          <Button kind="plain" onClick={() => ref.current?.close()}>
            {t('pages.cancel')}
          </Button>
        )}
      </div>
    </dialog>
  );
}

interface FormState {
  readonly username: string;
  readonly password: string;
  readonly code: string;
  readonly step: 'password' | 'code' | 'recovery';
  readonly isBusy: boolean;
  readonly error?: unknown;
  /** Milliseconds since 1970, before which another attempt is refused. */
  readonly waitsUntil: number;
}

function LoginForm({ username, onDone }: { readonly username?: string | undefined; readonly onDone: () => void }) {
  const state = useSignal<FormState>({
    username: username ?? '',
    password: '',
    code: '',
    step: 'password',
    isBusy: false,
    waitsUntil: 0,
  });
  const set = (next: Partial<FormState>) => void (state.value = { ...state.value, ...next });
  const { password, code, step, isBusy, error, waitsUntil } = state.value;
  const waits = useCountdown(waitsUntil);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy || waits > 0) return;
    set({ isBusy: true, error: undefined });
    const twofa = step === 'password' ? {} : { twofa_code: code.trim() };
    try {
      await ask('POST', '/api/login', { username: state.value.username.trim(), password, ...twofa });
      await refreshSession();
      changed();
      onDone();
    } catch (cause) {
      set(afterFailure(cause, step));
    }
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      {!window.isSecureContext && (
        <Panel kind="warn" icon="lock" title={t('pages.insecure')}>
          <p>{t('pages.insecureAbout')}</p>
        </Panel>
      )}
      {error !== undefined && <LoginError error={error} waits={waits} />}
      {step === 'password' ? (
        <>
          <Field
            label={t('pages.username')}
            value={state.value.username}
            onChange={(next) => set({ username: next })}
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            readOnly={username !== undefined}
            autoFocus={username === undefined}
            required
          />
          <PasswordField
            label={t('pages.password')}
            value={password}
            onChange={(next) => set({ password: next })}
            autocomplete="current-password"
            autoFocus={username !== undefined}
            required
          />
        </>
      ) : (
        <CodeField step={step} code={code} onChange={(next) => set({ code: next })} />
      )}
      <Button type="submit" kind="primary" isBusy={isBusy} isDisabled={waits > 0}>
        {t(step === 'password' ? 'pages.login' : 'pages.confirm')}
      </Button>
      {step !== 'password' && (
        <Button
          kind="plain"
          onClick={() => set({ step: step === 'code' ? 'recovery' : 'code', code: '', error: undefined })}
        >
          {t(step === 'code' ? 'pages.useRecovery' : 'pages.useCode')}
        </Button>
      )}
    </form>
  );
}

function afterFailure(cause: unknown, step: FormState['step']): Partial<FormState> {
  if (cause instanceof ApiError && cause.body['twofa_required'] === true)
    return { isBusy: false, step: step === 'password' ? 'code' : step, code: '' };
  const waitsUntil =
    cause instanceof ApiError && cause.retryAfter !== undefined ? Date.now() + cause.retryAfter * 1000 : 0;
  return { isBusy: false, error: cause, waitsUntil };
}

function LoginError({ error, waits }: { readonly error: unknown; readonly waits: number }) {
  const isWrong = error instanceof ApiError && error.code === 'invalid_credentials';
  return (
    <Panel kind="bad" icon="warn" title={isWrong ? t('pages.wrong') : errorText(error)} isAlert>
      {waits > 0 && <p class="number">{againText(waits)}</p>}
    </Panel>
  );
}

function CodeField(props: {
  readonly step: 'code' | 'recovery';
  readonly code: string;
  readonly onChange: (code: string) => void;
}) {
  const isCode = props.step === 'code';
  return (
    <Field
      key={props.step}
      label={t(isCode ? 'pages.code' : 'pages.recoveryCode')}
      hint={t(isCode ? 'pages.codeHint' : 'pages.recoveryHint')}
      value={props.code}
      onChange={props.onChange}
      autocomplete={isCode ? 'one-time-code' : 'off'}
      inputMode={isCode ? 'numeric' : 'text'}
      autocapitalize="none"
      spellcheck={false}
      autoFocus
      required
    />
  );
}

/** Returns the whole seconds that are left. */
function useCountdown(untilMs: number): number {
  const looks = useSignal(0);
  void looks.value; // each look draws anew
  useEffect(() => {
    if (untilMs <= Date.now()) return;
    const timer = setInterval(() => {
      looks.value += 1;
      if (untilMs <= Date.now()) clearInterval(timer);
    }, 500);
    return () => clearInterval(timer);
  }, [untilMs]);
  return Math.max(0, Math.ceil((untilMs - Date.now()) / 1000));
}
