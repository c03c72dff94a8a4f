import { api, useQuery, type Query, type ReplyOf } from '../../pages/kit/index.ts';

export type Dashboard = ReplyOf<'GET /api/dashboard'>;

/** How long one reply serves all cards of a picture. */
const SHARED_MS = 500;
let shared: { readonly at: number; readonly reply: Promise<Dashboard> } | undefined;

/** Asks for the dashboard once for all of its cards. */
export function useDashboard(): Query<Dashboard> {
  return useQuery('dashboard', () => {
    if (shared === undefined || performance.now() - shared.at > SHARED_MS)
      shared = { at: performance.now(), reply: api('GET /api/dashboard') };
    return shared.reply;
  });
}
