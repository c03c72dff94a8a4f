import { api, changed, ended, ofNode, t, toast, toastError, type ReplyOf } from '../../pages/kit/index.ts';

/** Says what became of a restoration, once it has ended. */
export async function follow(
  name: string,
  { id, path: username }: ReplyOf<'POST /api/removed-accounts/:name/restore'>,
): Promise<void> {
  const place = { params: { name, id }, query: ofNode() };
  const { state, detail } = await ended(() => api('GET /api/removed-accounts/:name/tasks/:id', place));
  if (state === 'done' && detail === null) toast(t('removed-accounts.restored', { name: username }));
  else if (state === 'done') toast(t('removed-accounts.restoredBut', { name: username, what: detail ?? '' }));
  else toastError(new Error(detail ?? t('removed-accounts.canceled')));
  changed();
}
