import type { ReplyOf } from '../../pages/kit/index.ts';

export type Certificate = ReplyOf<'GET /api/certificates'>['certificates'][number];
