import { api, changed, ofNode, t, toast, toastError, type ReplyOf } from '../../pages/kit/index.ts';

const POLL_MS = 2000;

/** Says what became of a restoration, once it has ended. */
export async function follow(
  name: string,
  { id, path: username }: ReplyOf<'POST /api/removed-accounts/:name/restore'>,
): Promise<void> {
  for (;;) {
    const task = await api('GET /api/removed-accounts/:name/tasks/:id', { params: { name, id }, query: ofNode() });
    if (task.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    if (task.state === 'done' && task.detail === null) toast(t('removed-accounts.restored', { name: username }));
    else if (task.state === 'done')
      toast(t('removed-accounts.restoredBut', { name: username, what: task.detail ?? '' }));
    else toastError(new Error(task.detail ?? t('removed-accounts.canceled')));
    return changed();
  }
}
