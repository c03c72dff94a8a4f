import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from '../../support/command.ts';

/** Starts a server whose commands for the web server kill it once there is a file, which is made when it listens. */
export async function startArmed(
  data: string,
  armed: string,
  webserver: object,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const config = join(data, 'config.json');
  writeFileSync(config, JSON.stringify({ webserver }));
  const { child, line } = await start(data, ['serve', '--workers', '1', '--config', config], /"listening"/);
  const [, url = ''] = await line(/"base_url":"([^"]+)"/);
  writeFileSync(armed, '');
  return { child, url };
}
