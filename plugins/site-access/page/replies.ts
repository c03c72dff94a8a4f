import type { ReplyOf } from '../../pages/kit/index.ts';

export type Site = ReplyOf<'GET /api/site-access'>['sites'][number];
