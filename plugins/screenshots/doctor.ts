import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/plugin-api/points/finding.ts';
import { browserVersion, browserUserOf } from './browser/launch-command.ts';
import type { Settings } from './schema.ts';

const SET_UID_SANDBOX = '/usr/lib/chromium/chrome-sandbox';
const NAMESPACES = '/proc/sys/user/max_user_namespaces';
const REINSTALL = 'apt-get install --reinstall chromium';
const FONTS = '/usr/share/fonts';

/** Checks what screenshots need: the browser, its sandbox, an unprivileged user, fonts. */
export async function findings(executable: string, settings: Pick<Settings, 'user'>): Promise<Finding[]> {
  const [browser, user] = await Promise.all([browserOf(executable), userOf(settings.user)]);
  return [browser, user, sandbox(), fonts()];
}

/** Starts no browser: reports one that was removed, and one whose latest start failed with `launchFailure`. */
export function browserHealth(executable: string, launchFailure: unknown): Finding {
  const name = 'browser';
  if (!existsSync(executable)) return { name, ok: false, detail: `${executable} is gone`, remedy: REINSTALL };
  if (launchFailure === undefined) return { name, ok: true, detail: executable };
  return { name, ok: false, detail: `${executable} did not start: ${messageOf(launchFailure)}`, remedy: REINSTALL };
}

async function browserOf(executable: string): Promise<Finding> {
  try {
    return { name: 'browser', ok: true, detail: `${await browserVersion(executable)} (${executable})` };
  } catch (error) {
    return {
      name: 'browser',
      ok: false,
      detail: `${executable} does not run: ${messageOf(error)}`,
      remedy: REINSTALL,
    };
  }
}

async function userOf(user: string): Promise<Finding> {
  try {
    const identity = await browserUserOf(user);
    const isRoot = identity?.uid === 0;
    const detail =
      identity === undefined
        ? 'the browser runs as the same user as Hostkeep'
        : `the browser runs as ${user} (${identity.uid})`;
    return {
      name: 'browser user',
      ok: !isRoot,
      detail,
      ...(isRoot ? { remedy: 'set screenshots.user to an unprivileged user' } : {}),
    };
  } catch (error) {
    return {
      name: 'browser user',
      ok: false,
      detail: messageOf(error),
      remedy: `adduser --system --no-create-home ${user}`,
    };
  }
}

function sandbox(): Finding {
  const hasNamespaces = existsSync(NAMESPACES) && Number(readFileSync(NAMESPACES, 'utf8')) > 0;
  if (hasNamespaces) return { name: 'browser sandbox', ok: true, detail: 'user namespaces' };
  if (existsSync(SET_UID_SANDBOX)) return { name: 'browser sandbox', ok: true, detail: SET_UID_SANDBOX };
  return {
    name: 'browser sandbox',
    ok: false,
    detail: 'neither user namespaces nor a set-uid sandbox; the browser runs with --no-sandbox',
    remedy: 'apt-get install chromium-sandbox',
  };
}

function fonts(): Finding {
  const has = existsSync(FONTS);
  return {
    name: 'fonts',
    ok: has,
    detail: has ? FONTS : `${FONTS} is missing; screenshots will show no text`,
    ...(has ? {} : { remedy: 'apt-get install fonts-dejavu-core' }),
  };
}
