import { open, stat } from 'node:fs/promises';
import { errorMessage } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { SiteLogs } from '../../kernel/contract/points/web-server-part.ts';
import { FORMATS } from './follower/log-formats.ts';

const READ_BYTES = 64 << 10;

export const noLogs = (): Finding => ({
  name: 'logs',
  ok: false,
  isWarning: true,
  detail: 'no web server writes logs of sites',
  remedy: 'have nginx or Caddy serve the domains and set webserver.log_folder, or switch the plugin off',
});

/** Whether the web server writes logs: Caddy does once the operator has imported its options, and keeps no log empty then. */
export async function isWritten(files: SiteLogs | undefined): Promise<boolean> {
  if (files?.format !== 'caddy') return files !== undefined;
  // what keeps this service from reading it, `readable` tells
  return ((await stat(files.access).catch(() => undefined))?.size ?? 0) > 0;
}

/** Reads the end of each log. */
export async function readable({ format, access, error }: SiteLogs): Promise<Finding> {
  try {
    const lines = FORMATS[format].access(await endOf(access));
    await endOf(error);
    const untold =
      format === 'caddy' ? '; Caddy logs them once the options in its Caddyfile import hostkeep-*.options' : '';
    const detail = lines.length === 0 ? `no request of a site is logged yet${untold}` : `${access} is read`;
    return { name: 'logs', ok: true, isUntried: lines.length === 0, detail };
  } catch (cause) {
    return {
      name: 'logs',
      ok: false,
      detail: errorMessage(cause),
      remedy: 'let this service read the files in webserver.log_folder: chgrp hostkeep, chmod 0640',
    };
  }
}

async function endOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - READ_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, start);
    const text = buffer.toString('latin1', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}
