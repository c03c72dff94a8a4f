import type { ReplyOf } from '../../pages/kit/index.ts';

export type Container = ReplyOf<'GET /api/docker-containers'>['containers'][number];
