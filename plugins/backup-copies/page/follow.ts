import { api, changed, t, toast, toastError, type ReplyOf } from '../../pages/kit/index.ts';

const POLL_MS = 2000;

/** Says what became of work on the copy of an account, once it has ended. */
export async function follow(
  username: string,
  { id }: ReplyOf<'POST /api/backup-copies/accounts/:username/copy'>,
  done: string,
): Promise<void> {
  for (;;) {
    const params = { username, id };
    const task = await api('GET /api/backup-copies/accounts/:username/tasks/:id', { params });
    if (task.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    if (task.state === 'done') toast(done);
    else toastError(new Error(task.detail ?? t('backup-copies.canceled')));
    return changed();
  }
}
