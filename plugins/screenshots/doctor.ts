import { existsSync } from 'node:fs';
import { failureText, errorMessage } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import { browserVersion, NoAnswer, type BrowserProgram } from './browser/launch-command.ts';
import { NoSandbox, sandboxRemedy } from './browser/sandbox.ts';
import type { EgressPolicy } from './egress/egress-policy.ts';
import type { Settings } from './schema.ts';

const REINSTALL = 'apt-get install --reinstall chromium';
const AGAIN = 'run doctor again, when the node is less busy';
const FONTS = '/usr/share/fonts';

/** Checks what screenshots need: the browser, its sandbox, an unprivileged user, the way to own sites, fonts. */
export async function findings(
  installed: BrowserProgram,
  settings: Settings,
  policy: EgressPolicy,
): Promise<Finding[]> {
  const [browser, sites] = await Promise.all([browserOf(installed.executable), sitesOf(policy)]);
  return [browser, userOf(installed, settings), sandboxOf(installed, settings), sites, fonts()];
}

/** Starts no browser: reports one that was removed, and one whose latest start failed with `launchFailure`. */
export function browserHealth({ executable }: BrowserProgram, launchFailure: unknown): Finding {
  const name = 'browser';
  if (!existsSync(executable)) return { name, ok: false, detail: `${executable} is gone`, remedy: REINSTALL };
  if (launchFailure === undefined) return { name, ok: true, detail: executable };
  const remedy = launchFailure instanceof NoSandbox ? sandboxRemedy() : REINSTALL;
  return { name, ok: false, detail: failureText(`${executable} did not start`, launchFailure), remedy };
}

async function browserOf(executable: string): Promise<Finding> {
  try {
    return { name: 'browser', ok: true, detail: `${await browserVersion(executable)} (${executable})` };
  } catch (error) {
    return {
      name: 'browser',
      ok: false,
      detail: `${executable} does not run: ${errorMessage(error)}`,
      remedy: error instanceof NoAnswer ? AGAIN : REINSTALL,
    };
  }
}

function userOf({ user }: BrowserProgram, settings: Settings): Finding {
  const name = 'browser user';
  if (user === undefined) return { name, ok: true, detail: 'the browser runs as the same user as Hostkeep' };
  const detail = `the browser runs as ${settings.user} (${user.uid})`;
  if (user.uid !== 0) return { name, ok: true, detail };
  return { name, ok: false, detail, remedy: 'set screenshots.user to an unprivileged user' };
}

function sandboxOf({ isSandboxed }: BrowserProgram, { sandbox }: Settings): Finding {
  const name = 'browser sandbox';
  if (isSandboxed) return { name, ok: true, detail: 'user namespaces' };
  const detail = 'none: a page that takes over the browser has the rights of its user';
  return {
    name,
    ok: false,
    detail,
    remedy: sandbox === 'off' ? 'set screenshots.sandbox to required' : sandboxRemedy(),
  };
}

async function sitesOf(policy: EgressPolicy): Promise<Finding> {
  const name = 'own sites';
  try {
    return { name, ok: true, detail: await policy.describe() };
  } catch (error) {
    const remedy = 'set screenshots.source_address to an address of this node of the IP version of the web server';
    return { name, ok: false, detail: errorMessage(error), remedy };
  }
}

function fonts(): Finding {
  const has = existsSync(FONTS);
  return {
    name: 'fonts',
    ok: has,
    detail: has ? FONTS : `${FONTS} is missing; screenshots will show no text`,
    ...(has ? {} : { isWarning: true, remedy: 'apt-get install fonts-dejavu-core' }),
  };
}
