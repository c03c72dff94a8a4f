import { useSignal } from '@preact/signals';
import { api, Dialog, ErrorPanel, Field, Select, t, toast, toUnicode, useDomainNames } from '../../pages/kit/index.ts';

interface AddRedirectProps {
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

const KINDS = [
  [302, 'redirects.found'],
  [301, 'redirects.moved'],
  [307, 'redirects.temporary'],
  [308, 'redirects.permanent'],
] as const;
const EMPTY = {
  domain: '',
  path: '/',
  target: '',
  status: 302 as (typeof KINDS)[number][0],
  isPrefix: false,
  keepsPath: false,
  keepsQuery: false,
};
const PLAIN = { autocapitalize: 'none', autocomplete: 'off', spellcheck: false } as const;

export function AddRedirect({ onClose, onAdded }: AddRedirectProps) {
  const form = useSignal(EMPTY);
  const set = (change: Partial<typeof EMPTY>) => void (form.value = { ...form.value, ...change });
  const { data: names = [], error, reload } = useDomainNames();
  const { path, target, status, isPrefix, keepsPath, keepsQuery } = form.value;
  const domain = form.value.domain || (names[0] ?? '');
  const add = async () => {
    const added = await api('POST /api/redirects', {
      body: {
        domain_url: domain,
        path: path.trim(),
        match: isPrefix ? 'prefix' : 'exact',
        target: target.trim(),
        status,
        keep_path: isPrefix && keepsPath,
        keep_query: keepsQuery,
      },
    });
    toast(t('redirects.wasAdded', { target: added.target }));
    onAdded();
    onClose();
  };
  const box = (text: string, isChecked: boolean, onChange: (isChecked: boolean) => void) => (
    <label class="row">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span class="wrap">{text}</span>
    </label>
  );
  return (
    <Dialog
      title={t('redirects.add')}
      onClose={onClose}
      onSubmit={add}
      submit={{ text: t('redirects.add'), isDisabled: domain === '' || path.trim() === '' || target.trim() === '' }}
    >
      {error !== undefined && <ErrorPanel error={error} onRetry={reload} />}
      <Select
        label={t('redirects.domain')}
        value={domain}
        of={names.map((name) => [name, toUnicode(name)] as const)}
        onChange={(value) => set({ domain: value })}
      />
      <Field
        {...PLAIN}
        label={t('redirects.path')}
        hint={t('redirects.pathHint')}
        value={path}
        onChange={(value) => set({ path: value })}
      />
      {box(t('redirects.below'), isPrefix, (value) => set({ isPrefix: value }))}
      <Field
        {...PLAIN}
        label={t('redirects.target')}
        hint={t('redirects.targetHint')}
        value={target}
        onChange={(value) => set({ target: value })}
      />
      {isPrefix && box(t('redirects.keepPath'), keepsPath, (value) => set({ keepsPath: value }))}
      {box(t('redirects.keepQuery'), keepsQuery, (value) => set({ keepsQuery: value }))}
      <Select
        label={t('redirects.kind')}
        value={String(status)}
        of={KINDS.map(([each, text]) => [String(each), t(text)] as const)}
        onChange={(value) => set({ status: KINDS.find(([each]) => String(each) === value)?.[0] ?? 302 })}
      />
    </Dialog>
  );
}
