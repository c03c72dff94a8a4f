import { api, changed, ended, t, toast, toastError, type ReplyOf } from '../../pages/kit/index.ts';

/** Says what became of work on the copy of an account, once it has ended. */
export async function follow(
  username: string,
  { id }: ReplyOf<'POST /api/backup-copies/accounts/:username/copy'>,
  done: string,
): Promise<void> {
  const params = { username, id };
  const task = await ended(() => api('GET /api/backup-copies/accounts/:username/tasks/:id', { params }));
  if (task.state === 'done') toast(done);
  else toastError(new Error(task.detail ?? t('backup-copies.canceled')));
  changed();
}
