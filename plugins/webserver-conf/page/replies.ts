import type { ReplyOf } from '../../pages/kit/index.ts';

export type Settings = ReplyOf<'GET /api/site-settings'>;
export type Site = Settings['sites'][number];
