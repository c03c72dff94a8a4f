import type { ReplyOf } from '../../pages/kit/index.ts';

export type Rules = ReplyOf<'GET /api/nginx-rules'>;
