import type { ReplyOf } from '../../../pages/kit/index.ts';

export type Account = ReplyOf<'GET /api/accounts/:username'>;
