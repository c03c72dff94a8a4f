import type { ReplyOf } from '../../pages/kit/index.ts';

export type Php = ReplyOf<'GET /api/php'>;
export type Site = Php['sites'][number];
