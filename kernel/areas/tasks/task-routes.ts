import { Type, type TObject } from '../../schema.ts';
import type { Host } from '../../contract/plugin.ts';
import type { Call, RouteSpec } from '../../contract/route-spec.ts';
import type { AccountTasks } from './account-tasks.ts';
import { TaskFollowers } from './task-followers.ts';
import { TaskParams } from './task-schema.ts';

const GET = { method: 'GET', at: 'home' } as const;

interface Described<T, L> {
  /** The thing that is worked on, as in "long work on files". */
  readonly on: string;
  readonly task: T;
  readonly tasks: L;
  /** Says what becomes of work that is canceled. */
  readonly canceled: string;
  /** Further members of each route. */
  readonly shared?: Pick<RouteSpec, 'feature'>;
}

/** Returns the routes by which clients follow a plugin's tasks, and end them; `taskHandlers` answers them. */
export const taskRoutes = <const P extends string, T extends TObject, L extends TObject>(
  path: P,
  { on, task, tasks, canceled, shared }: Described<T, L>,
) =>
  ({
    tasks: {
      ...shared,
      ...GET,
      path,
      summary: `List long work on ${on}`,
      description: 'What runs, and what ended within a week.',
      reply: tasks,
    },
    taskStream: {
      ...shared,
      ...GET,
      path: `${path}-stream`,
      summary: `Follow long work on ${on}, as server-sent events`,
      description:
        `Each event \`tasks\` holds what GET ${path} has: all of it first, and then the tasks that have changed since the event ` +
        'before, once a second at most.',
      reply: Type.String(),
      produces: ['text/event-stream'],
      errors: ['overloaded'],
    },
    task: {
      ...shared,
      ...GET,
      path: `${path}/:id`,
      summary: `Show long work on ${on}`,
      description: 'With how far it is, and what became of it.',
      params: TaskParams,
      reply: task,
      errors: ['task_not_found'],
    },
    cancel: {
      ...shared,
      ...GET,
      method: 'DELETE',
      path: `${path}/:id`,
      summary: `Cancel long work on ${on}`,
      description: canceled,
      params: TaskParams,
      reply: task,
      errors: ['task_not_found'],
    },
  }) as const;

type OfTask = Call<{ readonly params: typeof TaskParams }>;

export function taskHandlers<K extends string>(
  host: Pick<Host, 'workers' | 'onClose' | 'log'>,
  work: AccountTasks<K>,
  name: string,
) {
  const list = async ({ account }: Pick<Call, 'account'>) => ({ tasks: await work.list(account) });
  const followers = new TaskFollowers(host, name, (account) => work.list(account));
  return {
    tasks: list,
    taskStream: ({ account }: Pick<Call, 'account'>) => followers.open(account),
    task: ({ account, params }: Pick<OfTask, 'account' | 'params'>) => work.get(account, params.id),
    cancel: ({ account, params }: Pick<OfTask, 'account' | 'params'>) => work.cancel(account, params.id),
  };
}
