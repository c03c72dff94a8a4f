import { useSignal } from '@preact/signals';
import {
  api,
  attempt,
  changed,
  Dialog,
  Field,
  IconButton,
  PasswordField,
  sendRemoval,
  t,
  toast,
  toUnicode,
} from '../../pages/kit/index.ts';
import type { Site } from './replies.ts';

interface FolderDialogProps {
  readonly site: Site;
  readonly onClose: () => void;
}

const PLAIN = { autocapitalize: 'none', autocomplete: 'off', spellcheck: false } as const;

/** Who may see the protected folders of a site. */
export function FolderDialog({ site, onClose }: FolderDialogProps) {
  const domain = site.domain_url;
  const form = useSignal({ path: '/', user: '', password: '' });
  const set = (change: Partial<typeof form.value>) => void (form.value = { ...form.value, ...change });
  const { path, user, password } = form.value;
  const protect = async () => {
    const body = { path: path.trim(), name: user.trim(), password };
    await api('PUT /api/site-access/:domain/users', { params: { domain }, body });
    toast(t('site-access.wasSet', { user: body.name, path: body.path }));
    set({ user: '', password: '' });
    changed();
  };
  const remove = (folder: string, name: string) =>
    attempt(async () => {
      await sendRemoval('DELETE /api/site-access/:domain/users', { params: { domain }, query: { path: folder, name } });
      toast(t('site-access.wasRemoved', { user: name, path: folder }));
      changed();
    });
  return (
    <Dialog
      title={t('site-access.protect', { name: toUnicode(domain) })}
      onClose={onClose}
      onSubmit={protect}
      submit={{
        text: t('site-access.add'),
        isDisabled: path.trim().length < 2 || user.trim() === '' || password.length < 8,
      }}
    >
      {site.folders.flatMap((folder) =>
        folder.users.map((name) => (
          <p key={`${folder.path} ${name}`} class="row">
            <code class="wrap">{folder.path}</code>
            <span class="wrap">{name}</span>
            <IconButton
              isBad
              icon="trash"
              label={t('site-access.remove', { user: name, path: folder.path })}
              onClick={() => void remove(folder.path, name)}
            />
          </p>
        )),
      )}
      <Field
        {...PLAIN}
        label={t('site-access.path')}
        hint={t('site-access.pathHint')}
        value={path}
        onChange={(value) => set({ path: value })}
      />
      <Field
        {...PLAIN}
        label={t('site-access.user')}
        hint={t('site-access.userHint')}
        value={user}
        onChange={(value) => set({ user: value })}
      />
      <PasswordField
        label={t('site-access.password')}
        hint={t('site-access.passwordHint')}
        autocomplete="new-password"
        value={password}
        onChange={(value) => set({ password: value })}
      />
    </Dialog>
  );
}
