import type { ReplyOf } from '../../pages/kit/index.ts';

export type Sftp = ReplyOf<'GET /api/sftp'>;
export type Login = Sftp['logins'][number];
export type Secret = ReplyOf<'POST /api/sftp/logins/:login/password'>;
