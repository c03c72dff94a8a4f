import type { ReplyOf } from '../../pages/kit/index.ts';

export type Plan = ReplyOf<'GET /api/plans'>['plans'][number];
