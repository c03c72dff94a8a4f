import { api, ApiError, ofNode, useQuery, type ReplyOf } from '../../pages/kit/index.ts';

export type Removed = ReplyOf<'GET /api/removed-accounts'>['accounts'][number];

export const useRemoved = () =>
  useQuery('removed-accounts', (signal) => api('GET /api/removed-accounts', { query: ofNode(), signal }));

/** Whether nobody keeps backups here: this plugin, or the one that makes them, is off. */
export const isOff = (error: unknown): boolean => error instanceof ApiError && [404, 503].includes(error.status);
