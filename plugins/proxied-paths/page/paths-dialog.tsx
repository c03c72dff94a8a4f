import { useSignal } from '@preact/signals';
import {
  api,
  attempt,
  changed,
  Dialog,
  Field,
  IconButton,
  Select,
  t,
  toast,
  toUnicode,
} from '../../pages/kit/index.ts';
import type { Site, Sites } from './replies.ts';

interface PathsDialogProps {
  readonly sites: Sites;
  readonly site: Site;
  readonly onClose: () => void;
}

const PLAIN = { autocapitalize: 'none', autocomplete: 'off', spellcheck: false } as const;

/** For which paths of a site containers answer. */
export function PathsDialog({ sites: { containers }, site: { domain_url: domain, paths }, onClose }: PathsDialogProps) {
  const [first] = containers;
  const form = useSignal({
    path: '/',
    container: first?.name ?? '',
    port: String(first?.ports[0] ?? ''),
    strips: true,
  });
  const set = (change: Partial<typeof form.value>) => void (form.value = { ...form.value, ...change });
  const { path, container, port, strips } = form.value;
  const kept = paths.map(({ path, container, port, strips_path }) => ({ path, container, port, strips_path }));
  const save = (next: typeof kept) =>
    api('PUT /api/proxied-paths/:domain', { params: { domain }, body: { paths: next } });
  const whole = path.trim().replace(/(.)\/+$/, '$1');
  const add = async () => {
    const added = { path: whole, container, port: Number(port), strips_path: strips && whole !== '/' };
    await save([...kept.filter((each) => each.path !== whole), added]);
    toast(t('proxied-paths.wasSet', { path: whole, name: toUnicode(domain) }));
    changed();
    onClose();
  };
  const remove = (removed: string) =>
    attempt(async () => {
      await save(kept.filter((each) => each.path !== removed));
      toast(t('proxied-paths.wasRemoved', { path: removed, name: toUnicode(domain) }));
      changed();
    });
  const choose = (name: string) =>
    set({ container: name, port: String(containers.find((each) => each.name === name)?.ports[0] ?? port) });
  const isReady = whole.startsWith('/') && container !== '' && /^[1-9]\d{0,4}$/.test(port);
  return (
    <Dialog
      title={t('proxied-paths.edit', { name: toUnicode(domain) })}
      onClose={onClose}
      onSubmit={add}
      submit={{ text: t('proxied-paths.add'), isDisabled: !isReady }}
    >
      {paths.map((each) => (
        <p key={each.path} class="row">
          <code class="wrap">{each.path}</code>
          <span class="wrap">
            {each.container}:{each.port}
          </span>
          <IconButton
            isBad
            icon="trash"
            label={t('proxied-paths.remove', { path: each.path })}
            onClick={() => void remove(each.path)}
          />
        </p>
      ))}
      {containers.length === 0 ? (
        <p class="notice-bar small">{t('proxied-paths.none')}</p>
      ) : (
        <>
          <Field
            {...PLAIN}
            label={t('proxied-paths.path')}
            hint={t('proxied-paths.pathHint')}
            value={path}
            onChange={(value) => set({ path: value })}
          />
          <Select
            label={t('proxied-paths.container')}
            value={container}
            of={containers.map(({ name }) => [name, name] as const)}
            onChange={choose}
          />
          <Field
            label={t('proxied-paths.port')}
            hint={t('proxied-paths.portHint')}
            inputMode="numeric"
            autocomplete="off"
            value={port}
            onChange={(value) => set({ port: value.trim() })}
          />
          {whole !== '/' && (
            <label class="row">
              <input
                type="checkbox"
                checked={strips}
                onChange={(event) => set({ strips: event.currentTarget.checked })}
              />
              <span class="wrap">{t('proxied-paths.strips', { path: whole })}</span>
            </label>
          )}
        </>
      )}
    </Dialog>
  );
}
