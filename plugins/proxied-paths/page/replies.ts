import type { ReplyOf } from '../../pages/kit/index.ts';

export type Sites = ReplyOf<'GET /api/proxied-paths'>;
export type Site = Sites['sites'][number];
